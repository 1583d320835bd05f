export type AgentTab = 'access' | 'tools' | 'connect' | 'keys' | 'calls' | 'settings'

const others: readonly AgentTab[] = ['tools', 'connect', 'keys', 'calls', 'settings']

export function parseAgentTab(value: unknown): { tab?: AgentTab } {
	const tab = others.find((known) => known === value)
	return tab ? { tab } : {}
}
