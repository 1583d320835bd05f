import type { ChangeFeed, ChangeKind, View } from '../../../platform/changes.ts'
import type { ControlStore } from '../../../platform/database/index.ts'
import { findInstanceWorkspace, listStdioWorkspaces, listStoredSettings } from './instance-repository.ts'
import { type IdentityConfig, resolveSettings, type SettingName, type Settings } from './setting-values.ts'

/** Opens them; they are known once the change feed has started. */
export function openInstance({ store, feed, config }: InstanceDependencies): Instance {
	const instance = new Instance(store, config)
	feed.add(instance)
	return instance
}

interface InstanceDependencies {
	store: ControlStore
	feed: ChangeFeed
	config: IdentityConfig
}

/** The settings of the instance and the rights of workspaces, in memory: both are asked on every outbound call. */
export class Instance implements View {
	readonly kinds: readonly ChangeKind[] = ['setting', 'workspace']
	readonly #store: ControlStore
	readonly #config: IdentityConfig
	#stored: ReadonlyMap<string, unknown> = new Map()
	#settings: Settings
	#stdio = new Set<string>()

	constructor(store: ControlStore, config: IdentityConfig) {
		this.#store = store
		this.#config = config
		this.#settings = resolveSettings(this.#config, this.#stored)
	}

	settings(): Settings {
		return this.#settings
	}

	/** The same value (also the same array) until it changes. */
	value<N extends SettingName>(name: N): Settings[N]['value'] {
		return this.#settings[name].value
	}

	/** Whether operators have given the workspace the right to programs, and the instance allows them now. */
	readonly mayRunPrograms = (workspaceId: string): boolean =>
		this.value('stdio_programs') && this.#stdio.has(workspaceId)

	async load(): Promise<void> {
		await this.#readSettings()
		this.#stdio = new Set(await listStdioWorkspaces(this.#store.db))
	}

	async apply(kind: ChangeKind, id: string): Promise<void> {
		if (kind === 'setting') return this.#readSettings()
		const workspace = await findInstanceWorkspace(this.#store.db, id)
		if (workspace?.stdio_allowed === 1) this.#stdio.add(id)
		else this.#stdio.delete(id)
	}

	async #readSettings(): Promise<void> {
		this.#stored = await listStoredSettings(this.#store.db)
		this.#settings = resolveSettings(this.#config, this.#stored)
	}
}
