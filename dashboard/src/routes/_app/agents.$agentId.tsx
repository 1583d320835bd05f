import { createFileRoute } from '@tanstack/react-router'
import { AgentScreen } from '../../areas/agents/agent-screen.tsx'
import { parseAgentSearch } from '../../areas/agents/agent-tab.ts'

export const Route = createFileRoute('/_app/agents/$agentId')({
	validateSearch: parseAgentSearch,
	component: AgentScreen,
})
