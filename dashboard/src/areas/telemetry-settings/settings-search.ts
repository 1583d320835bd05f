export interface TelemetrySettingsSearch {
	tab?: 'redaction'
	create?: true
	/** The rule that is open. */
	rule?: string
}

export function parseTelemetrySettingsSearch(search: Record<string, unknown>): TelemetrySettingsSearch {
	return {
		...(search.tab === 'redaction' && { tab: search.tab }),
		...(search.create ? { create: true } : {}),
		...(search.rule ? { rule: String(search.rule) } : {}),
	}
}
