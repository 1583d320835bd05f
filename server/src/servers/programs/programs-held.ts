import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../../platform/errors.ts'
import type { HostedServer } from './hosted-server.ts'
import type { Place } from './place.ts'
import { memoryOfTrees } from './process-table.ts'
import type { ProgramSpec } from './program-spec.ts'

export interface HeldOptions {
	/** What a server's program is now; null when it is not to run. Throws a `Problem` that says why it may not. */
	specOf(serverId: string): ProgramSpec | null
	open(spec: ProgramSpec): Promise<Place>
	memoryBytes: number
}

/** The places that are open, one for each server whose program is in use. */
export class ProgramsHeld {
	readonly #options: HeldOptions
	readonly #places = new Map<string, Place>()
	/** Starting is shared by those who come at once. */
	readonly #opening = new Map<string, Promise<Place>>()

	constructor(options: HeldOptions) {
		this.#options = options
	}

	get(serverId: string): HostedServer | undefined {
		return this.#places.get(serverId)?.server
	}

	/** How many processes run. */
	count(): number {
		return [...this.#places.values()].reduce((sum, { server }) => sum + server.running.size, 0)
	}

	/** The server as it is configured now; one that was configured otherwise is ended. */
	async serverFor(serverId: string): Promise<HostedServer> {
		const spec = this.#options.specOf(serverId)
		if (!spec) throw new Problem('upstream_unreachable', 'The program is switched off.')
		const known = this.get(serverId)
		if (known && isDeepStrictEqual(known.spec, spec)) return known
		if (known) await this.letGo(serverId)
		const opening = this.#opening.get(serverId) ?? this.#open(spec)
		return (await opening).server
	}

	/** Ends the program of a server; to be called for one that is not open too. */
	async letGo(serverId: string): Promise<void> {
		await this.#opening.get(serverId)?.catch(() => {})
		const place = this.#places.get(serverId)
		this.#places.delete(serverId)
		await place?.release()
	}

	/** Ends what is no longer wanted, idle, or larger than it may be. */
	async sweep(): Promise<void> {
		for (const [serverId, { server }] of this.#places) {
			if (!this.#isWanted(server.spec)) await this.letGo(serverId)
			else server.reap()
		}
		await this.#endLargeOnes()
	}

	async close(): Promise<void> {
		await Promise.all([...this.#places.keys(), ...this.#opening.keys()].map((id) => this.letGo(id)))
	}

	#open(spec: ProgramSpec): Promise<Place> {
		const { serverId } = spec
		const opening = this.#options
			.open(spec)
			.then((place) => {
				this.#places.set(serverId, place)
				return place
			})
			.finally(() => this.#opening.delete(serverId))
		this.#opening.set(serverId, opening)
		return opening
	}

	#isWanted(spec: ProgramSpec): boolean {
		try {
			return isDeepStrictEqual(this.#options.specOf(spec.serverId), spec)
		} catch {
			return false
		}
	}

	async #endLargeOnes(): Promise<void> {
		const { memoryBytes } = this.#options
		const running = [...this.#places.values()].flatMap(({ server }) => [...server.running])
		const pids = running.flatMap(({ process }) => process.pid ?? [])
		if (pids.length === 0) return
		const memory = await memoryOfTrees(pids)
		for (const { process } of running)
			if ((memory.get(process.pid ?? 0) ?? 0) > memoryBytes)
				process.kill(`used more than ${memoryBytes} bytes of memory`)
	}
}
