import type { BoundOperation } from '../../platform/http/index.ts'
import { countServer, tokenJob } from './tokens/count-job.ts'
import { TokenCounter } from './tokens/count-tokens.ts'
import type { DefinitionContext } from './tool-definition-context.ts'
import { definitionRoutes } from './tool-definition-routes.ts'

export interface ToolDefinitions {
	operations: BoundOperation[]
	close(): Promise<void>
}

/** History and approval of tool definitions; what servers offer is taken by `takeTools`. */
export function openToolDefinitions(definitions: DefinitionContext): ToolDefinitions {
	const counter = new TokenCounter()
	definitions.jobs.handle(tokenJob, (job) => countServer(definitions, counter, job), { concurrency: 1 })
	return { operations: definitionRoutes(definitions), close: () => counter.close() }
}
