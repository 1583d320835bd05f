import { answerOpenAiObjects } from './openai-objects-wire.ts'
import { type MockAnswer, type MockAsk, statusFor, wordsFor } from './wire.ts'

/** The usage of every chat completion of the mock: 20 input, 100 cache read, 20 output, 10 reasoning. */
const mockChatUsage = {
	prompt_tokens: 120,
	completion_tokens: 30,
	total_tokens: 150,
	prompt_tokens_details: { cached_tokens: 100, audio_tokens: 0 },
	completion_tokens_details: { reasoning_tokens: 10, audio_tokens: 0, accepted_prediction_tokens: 0 },
}
const mockEmbeddingUsage = { prompt_tokens: 7, total_tokens: 7 }

const created = 1_790_000_000
const servedModel = (model: string) => `${model}-2026-11-01`

export function answerOpenAi(method: string, path: string, ask: MockAsk): MockAnswer {
	const model = ask.model ?? ''
	const failing = statusFor(model)
	if (failing) return failure(failing)
	if (method === 'POST' && path.endsWith('/chat/completions')) {
		return ask.stream ? streamChat(model, ask) : plainChat(model, ask)
	}
	if (method === 'POST' && path.endsWith('/embeddings')) return embed(model, ask)
	const further = answerOpenAiObjects(method, path, ask)
	if (further) return further
	if (method === 'GET' && path.endsWith('/models')) {
		return { status: 200, json: { object: 'list', data: [modelObject('gpt-mock')] } }
	}
	if (method === 'GET' && path.includes('/models/')) {
		return { status: 200, json: modelObject(path.slice(path.lastIndexOf('/') + 1)) }
	}
	return failure(404)
}

function plainChat(model: string, ask: MockAsk): MockAnswer {
	const message = ask.tools
		? { role: 'assistant', content: null, tool_calls: [toolCall('{"city":"Zürich"}')] }
		: { role: 'assistant', content: wordsFor(model).join(''), refusal: null }
	const choices = [{ index: 0, message, finish_reason: ask.tools ? 'tool_calls' : 'stop', logprobs: null }]
	const envelope = { id: 'chatcmpl-mock', object: 'chat.completion', created, model: servedModel(model) }
	return { status: 200, json: { ...envelope, choices, usage: mockChatUsage, service_tier: 'default' } }
}

function streamChat(model: string, ask: MockAsk): MockAnswer {
	const withUsage = ask.stream_options?.include_usage === true
	const frame = (choices: unknown[], usage: unknown = null) => {
		const envelope = {
			id: 'chatcmpl-mock',
			object: 'chat.completion.chunk',
			created,
			model: servedModel(model),
		}
		return `data: ${JSON.stringify({ ...envelope, choices, ...(withUsage && { usage }) })}\n\n`
	}
	const delta = (content: object, finish_reason: string | null = null) =>
		frame([{ index: 0, delta: content, finish_reason }])
	const content = ask.tools ? toolDeltas() : wordsFor(model).map((word) => ({ content: word }))
	const frames = [delta({ role: 'assistant', content: '' }), ...content.map((piece) => delta(piece))]
	if (model === 'stream-error') return { status: 200, frames: [...frames.slice(0, 3), errorFrame()] }
	frames.push(delta({}, ask.tools ? 'tool_calls' : 'stop'))
	if (withUsage) frames.push(frame([], mockChatUsage))
	frames.push('data: [DONE]\n\n')
	return { status: 200, frames, ...(model === 'cut' && { cutAfter: 3 }) }
}

function toolCall(text: string) {
	return { id: 'call_mock', type: 'function', function: { name: 'weather', arguments: text } }
}

function toolDeltas(): object[] {
	const rest = ['{"city":', '"Zürich"}'].map((text) => ({
		tool_calls: [{ index: 0, function: { arguments: text } }],
	}))
	return [{ tool_calls: [{ index: 0, ...toolCall('') }] }, ...rest]
}

function embed(model: string, ask: MockAsk): MockAnswer {
	const floats = new Float32Array([0.25, -0.5, 0.125])
	const embedding =
		ask.encoding_format === 'base64' ? Buffer.from(floats.buffer).toString('base64') : [...floats]
	const data = [{ object: 'embedding', index: 0, embedding }]
	return { status: 200, json: { object: 'list', data, model: servedModel(model), usage: mockEmbeddingUsage } }
}

function modelObject(id: string) {
	return { id, object: 'model', created, owned_by: 'mock' }
}

function errorFrame(): string {
	const error = { message: 'The mock broke in mid-stream.', type: 'server_error', code: 'mock', param: null }
	return `data: ${JSON.stringify({ error })}\n\n`
}

const errorTypes: Record<number, string> = { 429: 'rate_limit_error', 500: 'server_error' }

function failure(status: number): MockAnswer {
	const type = errorTypes[status] ?? 'invalid_request_error'
	const error = { message: `The mock answers ${status}.`, type, code: `mock_${status}`, param: null }
	// Otherwise the official client would retry.
	return { status, headers: { 'x-should-retry': 'false' }, json: { error } }
}
