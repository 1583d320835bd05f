/** The two calls or sessions to compare. */
export interface CompareSearch {
	/** Each is `trace id/span id`. */
	calls?: [string, string]
	/** Session ids, as named by the client. */
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

/** The call in a pasted address of the reader, or in text with its two ids; null for anything else. */
export function callIn(text: string): string | null {
	const [, trace, span] =
		/(?:^|[^0-9a-f])([0-9a-f]{32})[^0-9a-f](?:.*[^0-9a-f])?([0-9a-f]{16})(?:$|[^0-9a-f])/i.exec(text) ?? []
	return trace && span ? `${trace}/${span}`.toLowerCase() : null
}
