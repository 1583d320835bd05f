import { Agent, type IncomingMessage, request } from 'node:http'

/** The response to one request. */
export interface Answer {
	status: number
	sessionId: string
	/** All JSON-RPC messages of the response, in order. */
	// biome-ignore lint/suspicious/noExplicitAny: tests read any field of a message.
	messages: any[]
}

const connections = new Agent({ keepAlive: true, maxSockets: 256 })
const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Posts one message and reads the whole response. It uses node:http to save CPU time, as the load shares the cores with the programs. */
export async function post(
	url: string,
	key: string,
	message: object,
	headers: Record<string, string> = {},
): Promise<Answer> {
	const body = JSON.stringify({ jsonrpc: '2.0', ...message })
	const response = await open(url, key, 'POST', { ...usual, ...headers }, body)
	const isStream = response.headers['content-type']?.startsWith('text/event-stream')
	let text = ''
	for await (const chunk of response.setEncoding('utf8')) text += chunk
	return {
		status: response.statusCode ?? 0,
		sessionId: String(response.headers['mcp-session-id'] ?? ''),
		messages: isStream ? eventsIn(text) : text.startsWith('{') ? [JSON.parse(text)] : [],
	}
}

/** The request headers of revision 2026-07-28 for a method. */
export function modernHeaders(method: string, name?: string): Record<string, string> {
	return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name && { 'mcp-name': name }) }
}

export const modernMeta = {
	'io.modelcontextprotocol/protocolVersion': '2026-07-28',
	'io.modelcontextprotocol/clientCapabilities': {},
}

/** Initializes a legacy-era session and returns its id. */
export async function openSession(url: string, key: string, capabilities: object = {}): Promise<string> {
	const clientInfo = { name: 'echo', version: '1' }
	const params = { protocolVersion: '2025-11-25', capabilities, clientInfo }
	const { sessionId, status } = await post(url, key, { id: 0, method: 'initialize', params })
	if (!sessionId) throw new Error(`initialize answered ${status}`)
	return sessionId
}

/** Opens an SSE stream and passes each message to `onMessage`. Returns a function that closes the stream. */
export async function openStream(
	url: string,
	key: string,
	{ headers, body }: { headers: Record<string, string>; body?: object },
	onMessage: (message: { method?: string; params?: { uri?: string } }) => void,
): Promise<() => void> {
	const sent = body && JSON.stringify({ jsonrpc: '2.0', ...body })
	const response = await open(url, key, body ? 'POST' : 'GET', { ...usual, ...headers }, sent)
	if (response.statusCode !== 200)
		throw new Error(`Opening a stream failed with status ${response.statusCode}`)
	let rest = ''
	response.setEncoding('utf8').on('data', (chunk: string) => {
		const parts = (rest + chunk).split('\n\n')
		rest = parts.pop() ?? ''
		for (const message of eventsIn(`${parts.join('\n\n')}\n`)) onMessage(message as object)
	})
	response.on('error', () => {})
	return () => response.destroy()
}

function eventsIn(text: string): unknown[] {
	return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data as string))
}

function open(
	url: string,
	key: string,
	method: string,
	headers: Record<string, string>,
	body: string | undefined,
): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		const agent = body && headers['mcp-method'] !== 'subscriptions/listen' ? { agent: connections } : {}
		const all = { ...headers, authorization: `Bearer ${key}` }
		request(url, { method, headers: all, ...agent }, resolve)
			.on('error', reject)
			.end(body)
	})
}
