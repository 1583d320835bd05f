import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the mock provider reports for each call: figures that the example expects to read back exactly. */
export const usage = {
	openai: {
		prompt_tokens: 120,
		completion_tokens: 30,
		total_tokens: 150,
		prompt_tokens_details: { cached_tokens: 20 },
		completion_tokens_details: { reasoning_tokens: 10 },
	},
	anthropic: {
		input_tokens: 50,
		cache_read_input_tokens: 7,
		cache_creation_input_tokens: 3,
		output_tokens: 11,
	},
}

/** The key that the provider expects; the client never has it. */
export const providerKey = 'sk-example-provider-key'

/** A provider on this machine that speaks OpenAI's and Anthropic's wire formats. */
export async function startMockProvider(): Promise<{ url: string; stop(): Promise<void> }> {
	const server = createServer((request, response) => void answer(request, response))
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const stop = async () => {
		server.closeAllConnections()
		await new Promise((resolve) => server.close(resolve))
	}
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
	let text = ''
	for await (const chunk of request) text += chunk
	const body = JSON.parse(text) as { model: string; stream?: boolean }
	const given = request.headers['x-api-key'] ?? request.headers.authorization?.replace('Bearer ', '')
	if (given !== providerKey)
		sendJson(response, 401, { error: { message: 'wrong provider key', type: 'authentication_error' } })
	else if (request.url?.endsWith('/chat/completions'))
		send(response, body.stream ? openAiStream(body.model) : openAiPlain(body.model))
	else if (request.url?.endsWith('/messages'))
		send(response, body.stream ? anthropicStream(body.model) : anthropicPlain(body.model))
	else sendJson(response, 404, { error: { message: `no such path: ${request.url}`, type: 'not_found' } })
}

function openAiPlain(model: string) {
	const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello' } }]
	return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices, usage: usage.openai }
}

function openAiStream(model: string): string[] {
	const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model }
	const chunks = [
		{
			...head,
			choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }],
			usage: null,
		},
		{ ...head, choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: 'stop' }], usage: null },
		{ ...head, choices: [], usage: usage.openai },
	]
	return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n']
}

const anthropicMessage = { id: 'msg_1', type: 'message', role: 'assistant', stop_sequence: null }

function anthropicPlain(model: string) {
	return {
		...anthropicMessage,
		model,
		stop_reason: 'end_turn',
		content: [{ type: 'text', text: 'Hello' }],
		usage: usage.anthropic,
	}
}

function anthropicStream(model: string): string[] {
	const { output_tokens } = usage.anthropic
	const message = {
		...anthropicMessage,
		model,
		stop_reason: null,
		content: [],
		usage: { ...usage.anthropic, output_tokens: 1 },
	}
	const events = [
		{ type: 'message_start', message },
		{ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
		{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
		{ type: 'content_block_stop', index: 0 },
		{
			type: 'message_delta',
			delta: { stop_reason: 'end_turn', stop_sequence: null },
			usage: { output_tokens },
		},
		{ type: 'message_stop' },
	]
	return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

/** A list is a stream of events, anything else one document. */
function send(response: ServerResponse, body: object | string[]): void {
	if (!Array.isArray(body)) sendJson(response, 200, body)
	else {
		response.writeHead(200, { 'content-type': 'text/event-stream' })
		for (const event of body) response.write(event)
		response.end()
	}
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
