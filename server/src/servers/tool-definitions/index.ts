export type { ToolDefinition } from './definition.ts'
export { prepareTools } from './inspect.ts'
export { readTokens, type TokenCounts } from './read-tokens.ts'
export { sumOf } from './read-versions.ts'
export { judgeTools, takeTools } from './settle-tools.ts'
export {
	listChangingTools,
	listTools,
	listToolsForView,
	type ToolRow,
	type VersionTimes,
} from './tool-definition-repository.ts'
export { openToolDefinitions } from './tool-definitions.ts'
