import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message as an upstream got it, with its headers. */
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
	/** Session ids that it knows; emptied by `forget`. */
	sessions: Set<string>
	/** Connections of calls that the other side closed before their answer. */
	closedEarly: number
	close(): Promise<void>
}

type Answer = (message: Received, response: ServerResponse) => void

/** A legacy MCP server whose answers to everything but the handshake are written by the test, byte for byte. */
export async function startScriptedUpstream(
	answer: Answer,
	lost: { status: number; text: string } = { status: 404, text: 'Session not found' },
): Promise<ScriptedUpstream> {
	const listener = createServer((request, response) => void take(request, response))
	const upstream: ScriptedUpstream = {
		url: '',
		received: [],
		sessions: new Set(),
		closedEarly: 0,
		close: async () => {
			listener.closeAllConnections()
			await new Promise((resolve) => listener.close(resolve))
		},
	}
	const take = async (request: IncomingMessage, response: ServerResponse) => {
		const chunks: Buffer[] = []
		for await (const chunk of request) chunks.push(chunk as Buffer)
		const text = Buffer.concat(chunks).toString()
		if (request.method === 'DELETE') return void response.writeHead(200).end()
		const message = { ...(JSON.parse(text) as Received), headers: request.headers, text }
		upstream.received.push(message)
		response.once('close', () => {
			if (!response.writableFinished) upstream.closedEarly += 1
		})
		if (message.method === 'initialize') return open(response, message.id)
		const known = upstream.sessions.has(String(request.headers['mcp-session-id']))
		if (!known)
			return sendJson(response, lost.status, {
				jsonrpc: '2.0',
				id: null,
				error: { code: -32000, message: lost.text },
			})
		if (message.id === undefined) return void response.writeHead(202).end()
		answer(message, response)
	}
	const open = (response: ServerResponse, id: number) => {
		const session = `session-${upstream.received.length}`
		upstream.sessions.add(session)
		response.setHeader('mcp-session-id', session)
		sendJson(response, 200, {
			jsonrpc: '2.0',
			id,
			result: {
				protocolVersion: '2025-06-18',
				capabilities: { tools: {} },
				serverInfo: { name: 'scripted', version: '1' },
			},
		})
	}
	await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
	upstream.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`
	return upstream
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Answers a call with one text. */
export function sendText(response: ServerResponse, id: number, text: string): void {
	sendJson(response, 200, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })
}
