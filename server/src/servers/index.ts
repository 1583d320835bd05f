export type { ServerEntry, ServerView, ToolDefinition } from './server-entry.ts'
