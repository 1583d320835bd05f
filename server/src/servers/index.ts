export { type Ability, abilitiesIn, capabilitiesWith, uiExtension } from './discovery/index.ts'
export type { ToolCall, ToolCallOutcome } from './server-context.ts'
export type { ServerEntry, ServerView, ToolDefinition } from './server-entry.ts'
export { openServers, type ServerDependencies, type Servers } from './servers.ts'
