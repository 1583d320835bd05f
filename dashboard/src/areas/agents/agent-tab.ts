export type AgentTab = 'access' | 'keys' | 'calls' | 'settings'

const others: readonly AgentTab[] = ['keys', 'calls', 'settings']

export function parseAgentTab(value: unknown): { tab?: AgentTab } {
	const tab = others.find((known) => known === value)
	return tab ? { tab } : {}
}
