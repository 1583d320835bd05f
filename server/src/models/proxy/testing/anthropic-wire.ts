import { answerBatches } from './anthropic-batches-wire.ts'
import { type MockAnswer, type MockAsk, statusFor, wordsFor } from './wire.ts'

/** The usage of every message of the mock: 25 input, 300 cache read, 40 cache write, 13 output, 5 reasoning. */
const mockMessageUsage = {
	input_tokens: 25,
	cache_creation_input_tokens: 40,
	cache_read_input_tokens: 300,
	cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 10 },
	output_tokens: 18,
	output_tokens_details: { thinking_tokens: 5 },
	service_tier: 'standard',
}
export const mockTokenCount = 325

const servedModel = (model: string) => `${model}-20261101`

export function answerAnthropic(method: string, path: string, ask: MockAsk): MockAnswer {
	const model = ask.model ?? ''
	const failing = statusFor(model)
	if (failing) return failure(failing)
	const batch = answerBatches(method, path)
	if (batch) return batch
	if (method === 'POST' && path.endsWith('/messages/count_tokens')) {
		return { status: 200, json: { input_tokens: mockTokenCount } }
	}
	if (method === 'POST' && path.endsWith('/messages')) {
		return ask.stream ? streamMessage(model, ask) : plainMessage(model, ask)
	}
	if (method === 'GET' && path.endsWith('/models')) {
		const data = [modelObject('claude-mock')]
		return {
			status: 200,
			json: { data, has_more: false, first_id: 'claude-mock', last_id: 'claude-mock' },
		}
	}
	if (method === 'GET' && path.includes('/models/')) {
		return { status: 200, json: modelObject(path.slice(path.lastIndexOf('/') + 1)) }
	}
	return failure(404)
}

function plainMessage(model: string, ask: MockAsk): MockAnswer {
	const content = ask.tools
		? [{ type: 'tool_use', id: 'toolu_mock', name: 'weather', input: { city: 'Zürich' } }]
		: [{ type: 'text', text: wordsFor(model).join('') }]
	const json = { ...envelope(model, content, stopReason(ask)), usage: mockMessageUsage }
	return { status: 200, headers: { 'x-request-id': 'of_a_proxy_in_front' }, json }
}

function streamMessage(model: string, ask: MockAsk): MockAnswer {
	const atStart = { ...mockMessageUsage, output_tokens: 1, output_tokens_details: { thinking_tokens: 0 } }
	const message = { ...envelope(model, [], null), usage: atStart }
	const frames = [frame('message_start', { message }), ...blockFrames(model, ask)]
	if (model === 'stream-error') return { status: 200, frames: [...frames.slice(0, 4), errorFrame()] }
	const { cache_creation: _split, service_tier: _tier, ...cumulative } = mockMessageUsage
	const delta = { stop_reason: stopReason(ask), stop_sequence: null }
	frames.push(frame('message_delta', { delta, usage: { ...cumulative, output_tokens: 9 } }))
	frames.push(frame('message_delta', { delta, usage: cumulative }), frame('message_stop', {}))
	return { status: 200, frames, ...(model === 'cut' && { cutAfter: 4 }) }
}

function blockFrames(model: string, ask: MockAsk): string[] {
	const block = ask.tools
		? { type: 'tool_use', id: 'toolu_mock', name: 'weather', input: {} }
		: { type: 'text', text: '' }
	const deltas = ask.tools
		? ['{"city":', '"Zürich"}'].map((partial_json) => ({ type: 'input_json_delta', partial_json }))
		: wordsFor(model).map((text) => ({ type: 'text_delta', text }))
	return [
		frame('content_block_start', { index: 0, content_block: block }),
		frame('ping', {}),
		...deltas.map((delta) => frame('content_block_delta', { index: 0, delta })),
		frame('content_block_stop', { index: 0 }),
	]
}

function envelope(model: string, content: unknown[], stop_reason: string | null) {
	const message = { id: 'msg_mock', type: 'message', role: 'assistant', model: servedModel(model), content }
	return { ...message, stop_reason, stop_sequence: null }
}

const stopReason = (ask: MockAsk) => (ask.tools ? 'tool_use' : 'end_turn')

function frame(type: string, fields: object): string {
	return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

function errorFrame(): string {
	return frame('error', { error: { type: 'overloaded_error', message: 'The mock broke in mid-stream.' } })
}

function modelObject(id: string) {
	return { type: 'model', id, display_name: id, created_at: '2026-11-01T00:00:00Z' }
}

const errorTypes: Record<number, string> = {
	404: 'not_found_error',
	429: 'rate_limit_error',
	500: 'api_error',
}

function failure(status: number): MockAnswer {
	const error = {
		type: errorTypes[status] ?? 'invalid_request_error',
		message: `The mock answers ${status}.`,
	}
	// Otherwise the official client would retry.
	const headers = { 'x-should-retry': 'false' }
	return { status, headers, json: { type: 'error', error, request_id: 'req_mock' } }
}
