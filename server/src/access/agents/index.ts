export type { AgentEntry, AgentView } from './agent-entry.ts'
export { type Agents, openAgents, openAgentView } from './agents.ts'
export { everyModel, type ModelAccess } from './model-access.ts'
