import type { OutputOf, settingOperations } from '@signalbox/contract'
import type { Config } from '../../../config/config.ts'
import type { ChangeFeed, ChangeKind, View } from '../../../platform/changes.ts'
import type { ControlStore } from '../../../platform/database/database.ts'
import { findInstanceWorkspace, listStdioWorkspaces, listStoredSettings } from './instance-repository.ts'

export type IdentityConfig = Pick<
	Config,
	| 'HOST'
	| 'PORT'
	| 'PUBLIC_URL'
	| 'SIGNUP'
	| 'PASSWORD_LOGIN'
	| 'WORKSPACES_PER_PERSON'
	| 'signInProviders'
	| 'SMTP_URL'
	| 'MAIL_FROM'
	| 'ALLOWED_PRIVATE_NETWORKS'
	| 'exposed'
	| 'INIT_ADMIN_EMAIL'
	| 'INIT_ADMIN_PASSWORD'
	| 'INIT_PLATFORM_KEY'
	| 'INIT_INGEST_TOKEN'
>

export type Settings = OutputOf<(typeof settingOperations)['get']>
export type SettingName = keyof Settings
type SettingValue<N extends SettingName = SettingName> = Settings[N]['value']

interface Definition<N extends SettingName> {
	/** The environment variable that sets it, which makes it read-only. */
	variable?: string
	/** The value from the environment; null if it is not set there. */
	given(config: IdentityConfig): SettingValue<N> | null
	fallback(config: IdentityConfig): SettingValue<N>
}

/** All settings that operators can change at run time. An exposed instance starts with everything closed. */
export const definitions: { readonly [N in SettingName]: Definition<N> } = {
	signup: {
		variable: 'SIGNALBOX_SIGNUP',
		given: ({ SIGNUP }) => SIGNUP,
		fallback: ({ exposed }) => (exposed ? 'invite' : 'open'),
	},
	loopback_targets: {
		given: () => null,
		// An operator who lists private networks has said where upstreams are, so this machine is allowed only if it is listed.
		fallback: ({ exposed, ALLOWED_PRIVATE_NETWORKS }) => !exposed && ALLOWED_PRIVATE_NETWORKS === null,
	},
	private_networks: {
		variable: 'SIGNALBOX_ALLOWED_PRIVATE_NETWORKS',
		given: ({ ALLOWED_PRIVATE_NETWORKS }) => ALLOWED_PRIVATE_NETWORKS,
		fallback: () => [],
	},
	stdio_programs: { given: () => null, fallback: ({ exposed }) => !exposed },
	stdio_programs_default: { given: () => null, fallback: () => false },
}

const settingNames = Object.keys(definitions) as SettingName[]

export function resolveSettings(config: IdentityConfig, stored: ReadonlyMap<string, unknown>): Settings {
	const resolved = settingNames.map((name) => [name, resolveSetting(name, config, stored)])
	return Object.fromEntries(resolved) as Settings
}

/** The effective value and its source: the environment takes precedence over the stored value. */
export function resolveSetting<N extends SettingName>(
	name: N,
	config: IdentityConfig,
	stored: ReadonlyMap<string, unknown>,
): Settings[N] {
	const definition: Definition<N> = definitions[name]
	const given = definition.given(config)
	if (given !== null) return { value: given, source: 'environment' } as Settings[N]
	if (stored.has(name)) return { value: stored.get(name), source: 'stored' } as Settings[N]
	return { value: definition.fallback(config), source: 'default' } as Settings[N]
}

/** The values are known once the change feed has started. */
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

/** The instance's settings and the rights of workspaces, in memory, because both are checked on every outbound call. */
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

	/** The same value (arrays too) until it changes. */
	value<N extends SettingName>(name: N): Settings[N]['value'] {
		return this.#settings[name].value
	}

	/** Whether operators have granted the workspace the right to programs, and the instance currently allows them. */
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
