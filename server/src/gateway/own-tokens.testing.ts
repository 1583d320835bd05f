import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestAuthorizationServer } from '../access/upstream-credentials/testing.ts'
import type { Era } from '../mcp-client/index.ts'

/** A server behind OAuth that shows different items for each token, and announces their changes only on that token's streams. */
export interface OwningServer {
	url: string
	/** The tag in the names of a token's items. */
	tagOf(token: string): string
	/** Tokens of the calls that it received, oldest first. */
	tokens: string[]
	/** How many sessions clients have ended. */
	ended: number
	/** Whether a session is valid only with the token with which it was opened. */
	bindsSessions: boolean
	/** Announces on the streams of a tag that its note has changed. */
	touch(tag: string): void
	/** How many streams are open for a tag. */
	streamsOf(tag: string): number
	/** Breaks all streams. */
	breakStreams(): void
	close(): void
}

interface Stream {
	tag: string
	id: unknown
	response: ServerResponse
}

export async function startOwningServer(era: Era, issuer: TestAuthorizationServer): Promise<OwningServer> {
	const streams = new Set<Stream>()
	const server: OwningServer = {
		...{ url: '', tokens: [], ended: 0, bindsSessions: false },
		tagOf: (token) => createHash('sha256').update(token).digest('hex').slice(0, 8),
		touch: (tag) => {
			for (const stream of streams)
				if (stream.tag === tag) say(stream, 'notifications/resources/updated', { uri: `note://${tag}` })
		},
		streamsOf: (tag) => [...streams].filter((stream) => stream.tag === tag).length,
		breakStreams: () => {
			for (const { response } of streams) response.destroy()
		},
		close: () => {
			listener.closeAllConnections()
			listener.close()
		},
	}
	const hold = (stream: Stream) => {
		stream.response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n')
		streams.add(stream)
		stream.response.once('close', () => streams.delete(stream))
	}
	const listener = createServer(async (request, response) => {
		const send = (status: number, body: unknown, headers = {}) =>
			response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
		const metadata = `${new URL(server.url).origin}/.well-known/oauth-protected-resource/mcp`
		if (request.url === new URL(metadata).pathname)
			return send(200, {
				...{ resource: server.url, authorization_servers: [issuer.issuer], scopes_supported: ['tools'] },
			})
		const token = (request.headers.authorization ?? '').replace('Bearer ', '')
		const text = await read(request)
		if (!(await issuer.isGood(token)))
			return send(401, {}, { 'www-authenticate': `Bearer resource_metadata="${metadata}", scope="tools"` })
		const tag = server.tagOf(token)
		const session = String(request.headers['mcp-session-id'] ?? tag)
		if (server.bindsSessions && !session.startsWith(tag)) return send(401, {})
		if (request.method === 'DELETE') server.ended += 1
		if (request.method === 'GET') return hold({ tag, id: null, response })
		if (request.method !== 'POST') return response.writeHead(204).end()
		const { id, method = '', params = {} } = JSON.parse(text)
		if (id === undefined) return response.writeHead(202).end()
		if (method === 'tools/call') server.tokens.push(token)
		if (era === 'modern' && method === 'subscriptions/listen') {
			const stream = { tag, id, response }
			hold(stream)
			return say(stream, 'notifications/subscriptions/acknowledged', { notifications: params.notifications })
		}
		const result = answers(era, tag)[method]
		if (!result) return send(200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } })
		const opened = method === 'initialize' ? { 'mcp-session-id': `${tag}-${id}` } : {}
		send(200, { jsonrpc: '2.0', id, result: era === 'modern' ? { ...modern, ...result } : result }, opened)
	})
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	server.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
	return server
}

function say({ response, id }: Stream, method: string, params: object): void {
	const _meta = id === null ? {} : { _meta: { 'io.modelcontextprotocol/subscriptionId': id } }
	response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, ..._meta } })}\n\n`)
}

const modern = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true } }

function answers(era: Era, tag: string): Record<string, object> {
	const uri = `note://${tag}`
	const common = {
		'tools/list': { tools: [{ name: 'whose', inputSchema: { type: 'object' } }] },
		'tools/call': { content: [{ type: 'text', text: tag }] },
		'prompts/list': { prompts: [{ name: `prompt-${tag}` }] },
		'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: tag } }] },
		'resources/list': { resources: [{ name: tag, uri }] },
		'resources/templates/list': { resourceTemplates: [] },
		'resources/read': { contents: [{ uri, text: tag }] },
	}
	const introduction = { capabilities, serverInfo: { name: 'owning', version: '1' } }
	return era === 'modern'
		? { ...common, 'server/discover': { ...introduction, supportedVersions: ['2026-07-28'] } }
		: { ...common, 'resources/subscribe': {}, initialize: { ...introduction, protocolVersion: '2025-06-18' } }
}

async function read(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	return Buffer.concat(chunks).toString()
}
