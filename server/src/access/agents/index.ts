export { type AgentEntry, type AgentView, everyModel, type ModelAccess } from './agent.ts'
export { type Agents, openAgents, openAgentView } from './agents.ts'
