export type ServerTab = 'tools' | 'access' | 'settings'

export function parseServerTab(tab: unknown): { tab?: ServerTab } {
	return tab === 'access' || tab === 'settings' ? { tab } : {}
}
