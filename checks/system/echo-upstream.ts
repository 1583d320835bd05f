import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * An MCP server of one protocol era that echoes the arguments of each request, so that tests can detect responses delivered to the wrong
 * client.
 */
export interface EchoUpstream {
	url: string
	/** One entry for each request that arrived in a session that belongs to another client. */
	mixed: string[]
	/** Notifies all subscribers that this resource was updated. */
	announce(uri: string): void
	close(): Promise<void>
}

interface Message {
	id?: number
	method: string
	params: {
		name?: string
		uri?: string
		arguments?: { from: string; nonce: string }
		capabilities?: object
		_meta?: { progressToken?: unknown }
	}
}

interface Session {
	/** The only client that may use this session; undefined until its first call; null if clients share the session. */
	owner: string | null | undefined
	uris: Set<string>
	stream: ServerResponse | null
}

const tool = { name: 'echo', inputSchema: { type: 'object' } }
const serverInfo = { name: 'echo', version: '1' }

export async function startEchoUpstream(era: 'legacy' | 'modern'): Promise<EchoUpstream> {
	const sessions = new Map<string, Session>()
	const mixed: string[] = []
	const listener = createServer((request, response) => {
		const session = sessions.get(String(request.headers['mcp-session-id']))
		if (request.method === 'GET' && era === 'legacy') return listen(session, response)
		if (request.method !== 'POST')
			return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
		void read(request).then((message) => {
			if (message.id === undefined || message.method === undefined) return void response.writeHead(202).end()
			if (message.method === 'initialize' || message.method === 'server/discover')
				return initialize(era, sessions, message, response)
			answer(session, message, response, mixed)
		})
	})
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	return {
		url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
		mixed,
		announce: (uri) => {
			for (const { uris, stream } of sessions.values())
				if (uris.has(uri))
					stream?.write(event({ method: 'notifications/resources/updated', params: { uri } }))
		},
		close: async () => {
			listener.closeAllConnections()
			await new Promise((done) => listener.close(done))
		},
	}
}

async function read(request: IncomingMessage): Promise<Message> {
	let text = ''
	for await (const chunk of request) text += chunk
	return JSON.parse(text) as Message
}

function event(message: object): string {
	return `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`
}

function send(response: ServerResponse, id: number | undefined, more: object): unknown {
	return response
		.writeHead(200, { 'content-type': 'application/json' })
		.end(JSON.stringify({ jsonrpc: '2.0', id, ...more }))
}

function initialize(
	era: 'legacy' | 'modern',
	sessions: Map<string, Session>,
	{ id, method, params }: Message,
	response: ServerResponse,
): unknown {
	const isModern = method === 'server/discover'
	if (isModern !== (era === 'modern'))
		return send(response, id, { error: { code: -32601, message: 'Not of this era' } })
	const capabilities = { tools: {}, resources: { subscribe: true } }
	if (isModern) {
		const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo }
		const result = { supportedVersions: ['2026-07-28'], capabilities, resultType: 'complete', _meta }
		return send(response, id, { result: { ...result, ttlMs: 0, cacheScope: 'private' } })
	}
	const sessionId = `s-${sessions.size}`
	const isShared = Object.keys(params.capabilities ?? {}).length === 0
	sessions.set(sessionId, { owner: isShared ? null : undefined, uris: new Set(), stream: null })
	response.setHeader('mcp-session-id', sessionId)
	return send(response, id, { result: { protocolVersion: '2025-11-25', capabilities, serverInfo } })
}

function listen(session: Session | undefined, response: ServerResponse): void {
	if (!session) return void response.writeHead(404).end()
	response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
	session.stream = response
}

function answer(
	session: Session | undefined,
	message: Message,
	response: ServerResponse,
	mixed: string[],
): unknown {
	const { id, method, params } = message
	const list = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
	if (method === 'tools/list') return send(response, id, { result: { ...list, tools: [tool] } })
	if (method === 'resources/list' || method === 'resources/templates/list')
		return send(response, id, { result: { ...list, resources: [], resourceTemplates: [] } })
	if (method === 'resources/subscribe') session?.uris.add(params.uri ?? '')
	if (method !== 'tools/call') return send(response, id, { result: {} })
	const { from, nonce } = params.arguments ?? { from: '', nonce: '' }
	if (session && session.owner !== null) {
		session.owner ??= from
		if (session.owner !== from) mixed.push(`${session.owner}: ${from}`)
	}
	const text = `${from} ${nonce}`
	// A random delay reorders the responses. Nine of ten calls also get a progress notification.
	return setTimeout(() => {
		if (nonce.endsWith('0')) return void send(response, id, { result: resultOf(text) })
		const { progressToken } = params._meta ?? {}
		response.writeHead(200, { 'content-type': 'text/event-stream' })
		const progress = { progressToken, progress: 1, message: text }
		response.write(event({ method: 'notifications/progress', params: progress }))
		response.end(event({ id, result: resultOf(text) }))
	}, Math.random() * 10)
}

function resultOf(text: string): object {
	return { resultType: 'complete', content: [{ type: 'text', text }] }
}
