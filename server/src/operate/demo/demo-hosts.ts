import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { http } from '../../platform/node-http.ts'
import type { OwnHosts } from '../../platform/safe-fetch.ts'
import { type DemoServer, type DemoTool, demoServers, schemaOf } from './demo-servers.ts'

/** A reserved domain in which no name exists (RFC 2606), so no real host is hidden. */
const suffix = '.demo.invalid'

/** The URL of a host of the demo. */
export function demoUrl(name: string, path: string): string {
	return `https://${name}${suffix}${path}`
}

/** The servers and the model provider of the demo: one HTTP server on loopback, started by the first connection. */
export function openDemoHosts(): OwnHosts {
	let starting: Promise<Server> | null = null
	return {
		suffix,
		connect: async () => {
			starting ??= start()
			const { port } = (await starting).address() as AddressInfo
			const socket = connect({ host: '127.0.0.1', port })
			await once(socket, 'connect')
			return socket
		},
		close: async () => {
			const server = await starting?.catch(() => null)
			server?.close()
			server?.closeAllConnections()
		},
	}
}

/** Accepts everything that webhooks and forwarders of the demo send. */
const receiver = 'receiver'
export const receiverUrl = (path: string) => demoUrl(receiver, path)

async function start(): Promise<Server> {
	const server = http.createServer((request, response) => void answer(request, response)).unref()
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	return server
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const { headers, method = '', url: path = '/' } = request
	const [name = ''] = (headers.host ?? '').split('.', 1)
	const chunks: Buffer[] = []
	for await (const chunk of request) chunks.push(chunk as Buffer)
	const asked = { name, method, path, headers, body: Buffer.concat(chunks).toString() }
	const { status, json } =
		name === 'models' ? answerModel(asked) : name === receiver ? { status: 200 } : answerMcp(asked)
	response.writeHead(status, json === undefined ? {} : { 'content-type': 'application/json' })
	response.end(json === undefined ? '' : JSON.stringify(json))
}

/** A response of the demo's model: a text, and the tool calls that it requests. */
export interface ModelTurn {
	text: string
	uses: readonly { id: string; name: string; arguments: object }[]
}

export interface HostRequest {
	/** The first label of the host name. */
	name: string
	method: string
	path: string
	headers: IncomingHttpHeaders
	body: string
}

export interface HostAnswer {
	status: number
	json?: unknown
}

interface Message {
	id?: unknown
	method?: unknown
	params?: { name?: unknown; arguments?: Record<string, unknown> }
}

/** The release that a server acts as, taken from a stored header of the registered server. */
export const releaseHeader = 'x-demo-release'

/** An MCP server of revision 2025-06-18 without sessions; its only state is its release. */
export function answerMcp({ name, method, headers, body }: HostRequest): HostAnswer {
	const server = demoServers.find((each) => each.host === name)
	if (!server) return { status: 404 }
	if (method !== 'POST') return { status: 405 }
	const message = parse(body)
	if (!message) return { status: 400 }
	if (message.id === undefined) return { status: 202 }
	const release = textOf(headers[releaseHeader]) ?? server.releases[0]
	return { status: 200, json: { jsonrpc: '2.0', id: message.id, ...reply(server, release, message) } }
}

function parse(body: string): Message | null {
	try {
		return JSON.parse(body) as Message
	} catch {
		return null
	}
}

function reply(server: DemoServer, release: string | undefined, { method, params = {} }: Message): object {
	if (method === 'initialize')
		return {
			result: {
				protocolVersion: '2025-06-18',
				capabilities: { tools: {} },
				serverInfo: { name: server.host, version: release },
			},
		}
	if (method === 'ping') return { result: {} }
	if (method === 'tools/list')
		return { result: { tools: server.tools.map((tool) => definition(tool, release)) } }
	const tool = server.tools.find(({ name }) => name === params.name)
	if (method !== 'tools/call' || !tool)
		return { error: { code: -32601, message: `There is no ${String(params.name ?? method)}.` } }
	return { result: tool.answer(params.arguments ?? {}) }
}

function definition(tool: DemoTool, release: string | undefined) {
	const { name, description, later, ...rest } = tool
	const text = later !== undefined && release === later.release ? later.description : description
	const annotations = { readOnlyHint: rest.readOnly ?? false, destructiveHint: rest.destructive ?? false }
	return { name, description: text, inputSchema: schemaOf(tool), annotations }
}

/** Header of a replayed request: the usage of the original call, as `input,cached,output`. */
export const usageHeader = 'x-demo-usage'

/** Header of a replayed request: the original response of the model, as JSON in base64. */
export const answerHeader = 'x-demo-answer'

const usual = [900, 0, 120]

/** A provider with Anthropic's messages and OpenAI's chat completions, which reports the recorded usage. */
export function answerModel({ path, headers, body }: HostRequest): HostAnswer {
	if (path.endsWith('/models')) return { status: 200, json: { object: 'list', data: [] } }
	const [input = 0, cached = 0, output = 0] = textOf(headers[usageHeader])?.split(',').map(Number) ?? usual
	const model = modelIn(body)
	const turn = turnIn(textOf(headers[answerHeader]))
	const asksForTools = turn.uses.length > 0
	if (path.endsWith('/messages'))
		return {
			status: 200,
			json: {
				id: 'msg_demo',
				type: 'message',
				role: 'assistant',
				model,
				content: anthropicContent(turn),
				stop_reason: asksForTools ? 'tool_use' : 'end_turn',
				stop_sequence: null,
				usage: {
					input_tokens: input,
					cache_read_input_tokens: cached,
					cache_creation_input_tokens: 0,
					output_tokens: output,
				},
			},
		}
	return {
		status: 200,
		json: {
			id: 'chatcmpl-demo',
			object: 'chat.completion',
			created: 1_780_000_000,
			model,
			choices: [
				{ index: 0, message: openaiMessage(turn), finish_reason: asksForTools ? 'tool_calls' : 'stop' },
			],
			usage: {
				prompt_tokens: input + cached,
				completion_tokens: output,
				total_tokens: input + cached + output,
				prompt_tokens_details: { cached_tokens: cached },
			},
		},
	}
}

function turnIn(header: string | undefined): ModelTurn {
	const usualTurn = { text: 'This is an answer of the demo: no model was asked.', uses: [] }
	if (header === undefined) return usualTurn
	try {
		return JSON.parse(Buffer.from(header, 'base64').toString()) as ModelTurn
	} catch {
		return usualTurn
	}
}

function modelIn(body: string): string {
	try {
		return String((JSON.parse(body) as { model?: unknown }).model ?? 'unknown')
	} catch {
		return 'unknown'
	}
}

/** In the format of Anthropic's messages. */
export function anthropicContent({ text, uses }: ModelTurn): object[] {
	const asked = uses.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }))
	return [{ type: 'text', text }, ...asked]
}

/** In the format of OpenAI's chat completions. */
export function openaiMessage({ text, uses }: ModelTurn): object {
	const calls = uses.map(({ id, name, arguments: given }) => ({
		...{ id, type: 'function', function: { name, arguments: JSON.stringify(given) } },
	}))
	return { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls }) }
}

function textOf(header: string | string[] | undefined): string | undefined {
	return Array.isArray(header) ? header[0] : header
}
