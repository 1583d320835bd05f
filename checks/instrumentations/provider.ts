import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

type Fields = Record<string, unknown>
interface Tool {
	name?: string
	/** In OpenAI's Chat API. */
	function?: { name: string }
	/** In a namespace of Codex. */
	tools?: Tool[]
	/** In Gemini's API. */
	functionDeclarations?: Tool[]
}
interface Asked extends Fields {
	tools?: Tool[]
	model?: string
	stream?: boolean
	method?: string
	id?: number
}

const says = 'It is sunny in Paris.'
const city = JSON.stringify({ city: 'Paris' })
const waitMs = 40

const idOf = (prefix: string) => `${prefix}${randomBytes(18).toString('base64url').replaceAll(/[-_]/g, 'x')}`

/** The usage in every response. The costs in `programs.ts` follow from it. */
const chatUsage = {
	...{ prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 },
	prompt_tokens_details: { cached_tokens: 600, audio_tokens: 0 },
	completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 0 },
}
const responsesUsage = {
	...{ input_tokens: 1000, output_tokens: 50, total_tokens: 1050 },
	input_tokens_details: { cached_tokens: 600 },
	output_tokens_details: { reasoning_tokens: 20 },
}
const messagesUsage = { input_tokens: 700, cache_read_input_tokens: 300, cache_creation_input_tokens: 0 }

/**
 * Starts a provider with OpenAI's Chat, Responses and Embeddings APIs, Anthropic's Messages API and Gemini's API, and an MCP server with
 * the tool `weather`. Responses have ids like those of the real providers. A model that is offered this tool calls it once.
 */
export async function startInstrumentedProvider(): Promise<{ url: string; close(): void }> {
	const server = createServer((request, response) => void answer(request, response))
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const close = () => {
		server.closeAllConnections()
		server.close()
	}
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
	if (request.method !== 'POST') return void response.writeHead(405).end()
	const { pathname } = new URL(request.url ?? '/', 'http://provider')
	const asked = (await json(request)) as Asked
	if (pathname === '/mcp') return void answerMcp(asked, response)
	await new Promise((resolve) => setTimeout(resolve, waitMs))
	if (pathname.endsWith('/embeddings')) return void send(response, embeddings(asked))
	if (pathname.endsWith('count_tokens')) return void send(response, { input_tokens: 1000 })
	if (pathname.includes('/models/')) return void answerGemini(pathname, asked, response)
	if (pathname.endsWith('/messages')) return void answerMessages(asked, response)
	if (pathname.endsWith('/responses')) return void answerResponses(asked, response)
	answerChat(asked, response)
}

function answerMcp({ id, method }: Asked, response: ServerResponse): void {
	if (id === undefined) return void response.writeHead(202).end()
	const tool = { name: 'weather', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } }
	const results: Record<string, Fields> = {
		initialize: {
			...{ protocolVersion: '2025-06-18', capabilities: { tools: {} } },
			serverInfo: { name: 'weather', version: '1.0.0' },
		},
		'tools/list': { tools: [tool] },
		'tools/call': { content: [{ type: 'text', text: says }] },
	}
	const result = results[method ?? '']
	send(response, {
		...{ jsonrpc: '2.0', id },
		...(result ? { result } : { error: { code: -32601, message: 'No such method' } }),
	})
}

/** The tool to call: its name as offered, and its namespace. Null if it is not offered, or if its result is already in the request. */
function calledTool({
	tools = [],
	messages,
	input,
	contents,
}: Asked): { name: string; namespace?: string } | null {
	const text = JSON.stringify([messages, input, contents])
	if (/"tool_call_id"|"function_call_output"|"tool_result"|"functionResponse"/.test(text)) return null
	for (const { tools: inner, functionDeclarations: declared, ...tool } of tools) {
		const found = [tool, ...(inner ?? []), ...(declared ?? [])]
			.map((each) => each.name ?? each.function?.name ?? '')
			.find((name) => name.includes('weather') && name !== (inner && tool.name))
		if (found !== undefined) return { name: found, ...(inner && tool.name && { namespace: tool.name }) }
	}
	return null
}

function embeddings({ model, encoding_format }: Asked): Fields {
	const floats = [0.25, -0.5]
	const bytes = Buffer.from(new Float32Array(floats).buffer).toString('base64')
	const embedding = encoding_format === 'base64' ? bytes : floats
	const data = [{ object: 'embedding', index: 0, embedding }]
	return { object: 'list', data, model, usage: { prompt_tokens: 7, total_tokens: 7 } }
}

function answerChat(asked: Asked, response: ServerResponse): void {
	const { model, stream } = asked
	const envelope = { id: idOf('chatcmpl-'), created: 1_790_000_000, model: `${model}-2026-10-01` }
	const called = calledTool(asked)
	const call = { id: idOf('call_'), type: 'function', function: { name: called?.name, arguments: city } }
	const isCall = called !== null
	const finish_reason = isCall ? 'tool_calls' : 'stop'
	if (!stream) {
		const message = isCall
			? { role: 'assistant', content: null, tool_calls: [call] }
			: { role: 'assistant', content: says }
		const choices = [{ index: 0, message, finish_reason, logprobs: null }]
		return void send(response, { ...envelope, object: 'chat.completion', choices, usage: chatUsage })
	}
	const chunk = (delta: Fields, finish: string | null = null): Fields => ({
		...{ ...envelope, object: 'chat.completion.chunk' },
		choices: [{ index: 0, delta, finish_reason: finish }],
	})
	const deltas = isCall
		? [{ tool_calls: [{ index: 0, ...call }] }]
		: says.split(/(?= )/).map((content) => ({ content }))
	const chunks = [{ role: 'assistant', content: '' }, ...deltas].map((delta) => chunk(delta))
	const last = { ...chunk({}), choices: [], usage: chatUsage }
	sendEvents(response, [...chunks, chunk({}, finish_reason), last], true)
}

/** The names of Codex models have no date. */
const servedModel = (model = '') => (model.endsWith('codex') ? model : `${model}-2026-10-01`)

function answerResponses(asked: Asked, response: ServerResponse): void {
	const content = [{ type: 'output_text', text: says, annotations: [] }]
	const called = calledTool(asked)
	const item = called
		? {
				...{ type: 'function_call', id: idOf('fc_'), call_id: idOf('call_'), status: 'completed' },
				...{ ...called, arguments: city },
			}
		: { type: 'message', id: idOf('msg_'), role: 'assistant', content, status: 'completed' }
	const head = {
		...{ id: idOf('resp_'), object: 'response', created_at: 1_790_000_000 },
		...{ model: servedModel(asked.model), parallel_tool_calls: true, tool_choice: 'auto', tools: [] },
		...{ error: null, incomplete_details: null, instructions: null, metadata: {} },
	}
	const whole = { ...head, status: 'completed', output: [item], usage: responsesUsage }
	if (!asked.stream) return void send(response, whole)
	const text = { output_index: 0, content_index: 0, item_id: item.id }
	const pieces =
		item.type === 'message'
			? [
					{ type: 'response.content_part.added', ...text, part: { ...content[0], text: '' } },
					...says.split(/(?= )/).map((delta) => ({ type: 'response.output_text.delta', ...text, delta })),
					{ type: 'response.output_text.done', ...text, text: says },
					{ type: 'response.content_part.done', ...text, part: content[0] },
				]
			: []
	const events = [
		{ type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
		{ type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
		...pieces,
		{ type: 'response.output_item.done', output_index: 0, item },
		{ type: 'response.completed', response: whole },
	]
	sendEvents(
		response,
		events.map((event, sequence_number) => ({ ...event, sequence_number })),
	)
}

function answerMessages(asked: Asked, response: ServerResponse): void {
	const called = calledTool(asked)
	const isCall = called !== null
	const block = called
		? { type: 'tool_use', id: idOf('toolu_'), name: called.name, input: { city: 'Paris' } }
		: { type: 'text', text: says }
	const stop = { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null }
	const message = { id: idOf('msg_01'), type: 'message', role: 'assistant', model: asked.model }
	if (!asked.stream)
		return void send(response, {
			...{ ...message, content: [block], ...stop, usage: { ...messagesUsage, output_tokens: 50 } },
		})
	const started = { ...messagesUsage, output_tokens: 1 }
	sendEvents(response, [
		{
			...{ type: 'message_start' },
			message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage: started },
		},
		{
			...{ type: 'content_block_start', index: 0 },
			content_block: isCall ? { ...block, input: {} } : { ...block, text: '' },
		},
		...(isCall
			? [{ type: 'input_json_delta', partial_json: city }]
			: says.split(/(?= )/).map((text) => ({ type: 'text_delta', text }))
		).map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
		{ type: 'content_block_stop', index: 0 },
		{ type: 'message_delta', delta: stop, usage: { output_tokens: 50 } },
		{ type: 'message_stop' },
	])
}

const geminiUsage = {
	...{
		promptTokenCount: 1000,
		cachedContentTokenCount: 600,
		candidatesTokenCount: 30,
		thoughtsTokenCount: 20,
	},
	totalTokenCount: 1050,
}

function answerGemini(pathname: string, asked: Asked, response: ServerResponse): void {
	const model = /models\/([^:]+)/.exec(pathname)?.[1]
	const called = calledTool(asked)
	const part = called ? { functionCall: { name: called.name, args: { city: 'Paris' } } } : { text: says }
	const candidate = { content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }
	const whole = {
		...{ candidates: [candidate], usageMetadata: geminiUsage },
		...{ modelVersion: model, responseId: idOf('') },
	}
	if (!pathname.includes('stream')) return void send(response, whole)
	response.writeHead(200, { 'content-type': 'text/event-stream', ...requestIds() })
	response.end(`data: ${JSON.stringify(whole)}\n\n`)
}

const requestIds = () => {
	const id = idOf('req_01')
	return { 'request-id': id, 'x-request-id': id }
}

function send(response: ServerResponse, body: unknown): void {
	response.writeHead(200, { 'content-type': 'application/json', ...requestIds() })
	response.end(JSON.stringify(body))
}

function sendEvents(response: ServerResponse, events: readonly Fields[], isChat = false): void {
	response.writeHead(200, { 'content-type': 'text/event-stream', ...requestIds() })
	for (const event of events)
		response.write(`${isChat ? '' : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`)
	response.end(isChat ? 'data: [DONE]\n\n' : '')
}
