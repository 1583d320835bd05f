import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message as the upstream received it, with its headers. */
export interface Received {
	method: string
	id: number
	params: Record<string, unknown>
	headers: IncomingHttpHeaders
	text: string
}

export interface ScriptedUpstream {
	url: string
	received: Received[]
	/** The tool calls among them. */
	calls(): Received[]
	/** Session ids that it knows. */
	sessions: Set<string>
	/** The status for an unknown session: 404 by the protocol, 400 from some widely used servers. */
	lostStatus: 404 | 400
	/** Answers a handshake; replaceable. */
	initialize: Answer
	/** Number of answers whose client disconnected before the end. */
	closedEarly: number
	/** If set, it takes one stream of a session, and puts it here. */
	streams?: ServerResponse[]
	/** The session whose stream that must be; absent: of any. */
	streamOf?: string
	close(): Promise<void>
}

type Answer = (message: Received, response: ServerResponse) => void

/** A legacy MCP server with these tools. The test supplies its answers to calls, byte for byte. */
export async function startScriptedUpstream(
	tools: readonly object[],
	answer: Answer,
): Promise<ScriptedUpstream> {
	const listener = createServer((request, response) => void take(request, response))
	const received: Received[] = []
	const upstream: ScriptedUpstream = {
		url: '',
		received,
		calls: () => received.filter((message) => message.method === 'tools/call'),
		sessions: new Set(),
		initialize: (message, response) => openSession(upstream, message.id, response),
		lostStatus: 404,
		closedEarly: 0,
		close: async () => {
			listener.closeAllConnections()
			await new Promise((resolve) => listener.close(resolve))
		},
	}
	const take = async (request: IncomingMessage, response: ServerResponse) => {
		const text = await readText(request)
		if (request.method === 'DELETE') upstream.sessions.delete(String(request.headers['mcp-session-id']))
		const session = request.headers['mcp-session-id']
		const isWanted = upstream.streamOf === undefined || upstream.streamOf === session
		if (request.method === 'GET' && upstream.streams?.length === 0 && isWanted) {
			upstream.streams.push(response.writeHead(200, { 'content-type': 'text/event-stream' }))
			return response.flushHeaders()
		}
		if (request.method !== 'POST')
			return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
		const message = { ...(JSON.parse(text) as Received), headers: request.headers, text }
		received.push(message)
		response.once('close', () => {
			if (!response.writableFinished) upstream.closedEarly += 1
		})
		if (message.method === 'initialize') return upstream.initialize(message, response)
		if (!upstream.sessions.has(String(request.headers['mcp-session-id'])))
			return sendJson(response, upstream.lostStatus, {
				jsonrpc: '2.0',
				id: null,
				error: { code: -32000, message: 'Session not found' },
			})
		if (message.id === undefined) return void response.writeHead(202).end()
		if (message.method === 'tools/list')
			return sendJson(response, 200, { jsonrpc: '2.0', id: message.id, result: { tools } })
		answer(message, response)
	}
	await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
	upstream.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
	return upstream
}

async function readText(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	return Buffer.concat(chunks).toString()
}

function openSession(upstream: ScriptedUpstream, id: number, response: ServerResponse): void {
	const session = `session-${upstream.received.length}`
	upstream.sessions.add(session)
	response.setHeader('mcp-session-id', session)
	const result = {
		protocolVersion: '2025-06-18',
		capabilities: { tools: {} },
		serverInfo: { name: 'scripted', version: '1' },
	}
	sendJson(response, 200, { jsonrpc: '2.0', id, result })
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Answers a call with one text. */
export function sendText(response: ServerResponse, id: number, text: string): void {
	sendJson(response, 200, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })
}

/** Sends messages as events, and leaves the stream open. */
export function sendEvents(response: ServerResponse, ...messages: object[]): void {
	if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
	for (const message of messages)
		response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
}
