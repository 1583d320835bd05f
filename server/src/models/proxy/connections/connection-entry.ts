import type { Provider } from '@signalbox/contract'

/** A provider account as the data plane knows it. */
export interface ConnectionEntry {
	id: string
	workspaceId: string
	name: string
	provider: Provider
	/** Scheme, host and port of the base URL. */
	origin: string
	basePath: string
	/** The opened provider key, in memory only; null when the secret is gone. */
	key: string | null
	/** Whether what its calls carry is recorded. */
	recordsBodies: boolean
	/** Whether streams are asked for usage where their client does not. */
	injectsUsage: boolean
}

/** All connections, in memory. */
export interface ConnectionView {
	find(workspaceId: string, name: string): ConnectionEntry | undefined
}
