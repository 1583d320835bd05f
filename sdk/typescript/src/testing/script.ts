interface Message {
	id?: number
	method: string
	params?: Record<string, unknown>
}

const handshake: Message[] = [
	{
		id: 0,
		method: 'initialize',
		params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'tester', version: '9' } },
	},
	{ method: 'notifications/initialized' },
]

const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`

const calls: Message[] = [
	{ id: 1, method: 'tools/list' },
	call(2, 'echo', { arguments: { text: 'hi' }, _meta: { traceparent, baggage: 'gen_ai.agent.name=Ada' } }),
	call(3, 'broken'),
	call(4, 'thrower'),
	call(5, 'progress', { _meta: { progressToken: 'p' } }),
	call(6, 'unknown'),
	call(7, 'echo', { arguments: { text: 5 } }),
	call(8, 'big'),
	{ id: 9, method: 'prompts/get', params: { name: 'hello' } },
	{ id: 10, method: 'resources/read', params: { uri: 'note://one' } },
	{ id: 11, method: 'no/such' },
	{ id: 12, method: 'ping' },
]

/** SDK 1.10 never ends an HTTP answer that is a JSON-RPC error, observed or not. */
export const errorIds: readonly unknown[] = [6, 7, 11]

const cancelled: Message[] = [
	call(13, 'hang'),
	{ method: 'notifications/cancelled', params: { requestId: 13, reason: 'not wanted' } },
]

/** What a client sends in a test, in order: every outcome that a request can have. */
export const script = { handshake, calls, cancelled }

function call(id: number, name: string, params: Record<string, unknown> = {}): Message {
	return { id, method: 'tools/call', params: { name, arguments: {}, ...params } }
}

const modern = {
	'io.modelcontextprotocol/protocolVersion': '2026-07-28',
	'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '9' },
	'io.modelcontextprotocol/clientCapabilities': {},
}

/** The same message in the era without a handshake. */
export function inModernEra(message: Message): Message {
	const meta = message.params?._meta as object | undefined
	return { ...message, params: { ...message.params, _meta: { ...modern, ...meta } } }
}

export type { Message }
