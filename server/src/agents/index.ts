export type { AgentEntry, AgentView } from './agent-entry.ts'
