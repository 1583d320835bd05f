import type { Reading } from '../providers/provider.ts'
import type { Target } from '../target.ts'
import type { ObjectOwners } from './object-owners.ts'

/** Whose a call is. */
export interface Maker {
	workspaceId: string
	/** '' for the workspace's own keys. */
	agentId: string
}

/** What the provider stores for one call: noted as soon as it is read, so that it can be asked for while it is made. */
export class MadeObjects {
	readonly #owners: Pick<ObjectOwners, 'note'>
	readonly #maker: Maker
	#seen = 0
	#noting: Promise<void> | null = null

	constructor(owners: Pick<ObjectOwners, 'note'>, maker: Maker) {
		this.#owners = owners
		this.#maker = maker
	}

	/** Notes what is new in a reading. */
	see({ surface, connectionId }: Target, { objects, deferred }: Reading): void {
		if (!surface?.creates || connectionId === null || objects.size === this.#seen) return
		const { workspaceId, agentId: owner } = this.#maker
		const fresh = [...objects].slice(this.#seen)
		this.#seen = objects.size
		this.#noting = this.#owners.note({ workspaceId, connectionId, owner }, fresh, deferred)
	}

	/** Until everything is stored. */
	get stored(): Promise<void> | null {
		return this.#noting
	}
}
