const complete = { resultType: 'complete' }
const cached = { ...complete, ttlMs: 60_000, cacheScope: 'private' }
const serverInfo = { name: 'bench', version: '1' }
const echo = {
	name: 'echo',
	description: 'Echo',
	inputSchema: { type: 'object', properties: { message: { type: 'string' } } },
}
const modern: Record<string, unknown> = {
	'server/discover': {
		...cached,
		supportedVersions: ['2026-07-28'],
		capabilities: { tools: {} },
		serverInfo,
	},
	'tools/list': { ...cached, tools: [echo] },
	'tools/call': { ...complete, content: [{ type: 'text', text: 'Echo: hello' }] },
}
const legacy: Record<string, unknown> = {
	initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
	ping: {},
	'tools/list': { tools: [echo] },
	'tools/call': { content: [{ type: 'text', text: 'Echo: hello' }] },
}

export type Era = 'modern' | 'legacy'

export interface Message {
	id?: unknown
	method?: string
}

/** The answer of an MCP server with one tool; null for a notification, which has no answer. */
export function answerOf({ id, method = '' }: Message, era: Era): { known: boolean; text: string } | null {
	if (id === undefined) return null
	const result = (era === 'modern' ? modern : legacy)[method]
	const error = { code: -32601, message: 'no such method' }
	const text = JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) })
	return { known: result !== undefined, text }
}
