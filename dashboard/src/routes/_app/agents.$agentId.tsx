import { createFileRoute } from '@tanstack/react-router'
import { AgentScreen } from '../../areas/agents/agent-screen.tsx'
import { type AgentTab, parseAgentTab } from '../../areas/agents/agent-tab.ts'

export const Route = createFileRoute('/_app/agents/$agentId')({
	validateSearch: (search: Record<string, unknown>): { tab?: AgentTab } => parseAgentTab(search.tab),
	component: AgentScreen,
})
