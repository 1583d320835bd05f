/** Two calls, or two sessions, next to each other. */
export interface CompareSearch {
	/** Each `trace id/span id`. */
	calls?: [string, string]
	/** As the client names them. */
	sessions?: [string, string]
}

export function parseCompareSearch(search: Record<string, unknown>): CompareSearch {
	const calls = pairOf(search.calls)
	if (calls?.every((call) => /^[0-9a-f]{32}\/[0-9a-f]{16}$/.test(call))) return { calls }
	const sessions = pairOf(search.sessions)
	return sessions ? { sessions } : {}
}

function pairOf(value: unknown): [string, string] | null {
	if (!Array.isArray(value) || value.length !== 2) return null
	const [one, other] = value.map(String) as [string, string]
	return one !== '' && other !== '' ? [one, other] : null
}

export function callAddress({ trace_id, span_id }: { trace_id: string; span_id: string }): string {
	return `${trace_id}/${span_id}`
}

/** Of a pasted address of the reader, or of the two ids with anything between them; null for anything else. */
export function callIn(text: string): string | null {
	const [, trace, span] =
		/(?:^|[^0-9a-f])([0-9a-f]{32})[^0-9a-f](?:.*[^0-9a-f])?([0-9a-f]{16})(?:$|[^0-9a-f])/i.exec(text) ?? []
	return trace && span ? `${trace}/${span}`.toLowerCase() : null
}
