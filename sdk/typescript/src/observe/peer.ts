import type { Config } from '../config.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { Names } from './names.ts'
import type { ToolDefinitions } from './tool-definitions.ts'

/** One observed server or client, and the dependencies of its spans. */
export interface Peer {
	side: 'server' | 'client'
	config: Config
	names: Names
	tools: ToolDefinitions
	/** Chosen at the first message, when the application has registered its providers. */
	pipeline(): Pipeline
	/** False once its observation has been ended. */
	observing: boolean
}
