import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

interface Asked {
	model: string
	tools?: { name?: string; type?: string; tools?: { name: string }[] }[]
	messages?: { content: unknown }[]
	input?: unknown
}

interface Event {
	type: string
	[member: string]: unknown
}

const says = 'The echo came back.'
const wantsEcho = JSON.stringify({ message: 'hello' })

/** Starts a provider with Anthropic's Messages and OpenAI's Responses and Chat APIs. Its model calls the tool `echo` once, then answers. */
export async function startProvider(): Promise<{ url: string; stop(): void }> {
	const server = createServer((request, response) => void answer(request, response))
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const stop = () => {
		server.closeAllConnections()
		server.close()
	}
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const { pathname } = new URL(request.url ?? '/', 'http://provider')
	const asked = (await json(request)) as Asked
	if (pathname.endsWith('/count_tokens')) send(response, { input_tokens: 10 })
	else if (pathname.endsWith('/messages')) stream(response, messageEvents(asked))
	else if (pathname.endsWith('/responses')) stream(response, responseEvents(asked))
	else send(response, chatCompletion(asked))
}

function chatCompletion({ model }: Asked) {
	const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: says } }]
	const usage = { prompt_tokens: 1200, completion_tokens: 300, total_tokens: 1500 }
	return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices, usage }
}

function messageEvents(asked: Asked): Event[] {
	const tool = JSON.stringify(asked.messages).includes('"tool_result"') ? undefined : echoOf(asked)
	const id = 'toolu_01AAAAAAAAAAAAAAAAAAAAAA'
	const block = tool ? { type: 'tool_use', id, name: tool, input: {} } : { type: 'text', text: '' }
	const delta = tool
		? { type: 'input_json_delta', partial_json: wantsEcho }
		: { type: 'text_delta', text: says }
	const message = { id: 'msg_1', type: 'message', role: 'assistant', model: asked.model, stop_sequence: null }
	const usage = {
		input_tokens: 50,
		cache_read_input_tokens: 7,
		cache_creation_input_tokens: 3,
		output_tokens: 11,
	}
	const stop_reason = tool ? 'tool_use' : 'end_turn'
	return [
		{ type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
		{ type: 'content_block_start', index: 0, content_block: block },
		{ type: 'content_block_delta', index: 0, delta },
		{ type: 'content_block_stop', index: 0 },
		{ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 11 } },
		{ type: 'message_stop' },
	]
}

function responseEvents(asked: Asked): Event[] {
	const isDone = JSON.stringify(asked.input).includes('"function_call_output"')
	const space = asked.tools?.find((tool) => tool.tools?.some(({ name }) => name.includes('echo')))
	const name = space?.tools?.find((tool) => tool.name.includes('echo'))?.name ?? echoOf(asked)
	const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name, arguments: wantsEcho }
	const content = [{ type: 'output_text', text: says, annotations: [] }]
	const item =
		isDone || !name
			? { type: 'message', id: 'msg_1', role: 'assistant', content, status: 'completed' }
			: { ...call, ...(space && { namespace: space.name }), status: 'completed' }
	const head = { id: 'resp_1', object: 'response', created_at: 1, model: asked.model }
	const usage = { input_tokens: 120, output_tokens: 30, total_tokens: 150 }
	return [
		{ type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
		{ type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
		{ type: 'response.output_item.done', output_index: 0, item },
		{ type: 'response.completed', response: { ...head, status: 'completed', output: [item], usage } },
	].map((event, sequence_number) => ({ ...event, sequence_number }))
}

function echoOf({ tools }: Asked): string | undefined {
	return tools?.find(({ name }) => name?.includes('echo'))?.name
}

function send(response: ServerResponse, body: unknown): void {
	response.setHeader('content-type', 'application/json')
	response.end(JSON.stringify(body))
}

function stream(response: ServerResponse, events: readonly Event[]): void {
	response.setHeader('content-type', 'text/event-stream')
	for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
	response.end()
}
