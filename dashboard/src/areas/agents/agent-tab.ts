import { parseUsageSearch, type UsageSearch } from '../usage/usage-search.ts'

export type AgentTab = 'access' | 'usage' | 'tools' | 'connect' | 'keys' | 'calls' | 'settings'

const others: readonly AgentTab[] = ['usage', 'tools', 'connect', 'keys', 'calls', 'settings']

export interface AgentSearch extends UsageSearch {
	tab?: AgentTab
}

export function parseAgentSearch(search: Record<string, unknown>): AgentSearch {
	const tab = others.find((known) => known === search.tab)
	return { ...(tab && { tab }), ...(tab === 'usage' && parseUsageSearch(search)) }
}
