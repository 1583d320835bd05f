import { type MockAnswer, type MockAsk, wordsFor } from './wire.ts'

/** The usage of every response of the mock: 30 input, 60 cache read, 10 cache write, 25 output, 15 reasoning. */
export const mockResponseUsage = {
	input_tokens: 100,
	input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
	output_tokens: 40,
	output_tokens_details: { reasoning_tokens: 15 },
	total_tokens: 140,
}
/** The usage of every image: 10 text and 194 image tokens in, 4160 image tokens out. */
export const mockImageUsage = {
	input_tokens: 204,
	input_tokens_details: { text_tokens: 10, image_tokens: 194 },
	output_tokens: 4160,
	total_tokens: 4364,
}
export const mockTranscriptUsage = {
	type: 'tokens',
	input_tokens: 14,
	input_token_details: { text_tokens: 2, audio_tokens: 12 },
	output_tokens: 45,
	total_tokens: 59,
}
export const mockSpeech = Buffer.from(Array.from({ length: 4000 }, (_, at) => (at * 31) % 256))

let made = 0
const newId = (kind: string) => {
	made += 1
	return `${kind}_mock${made}`
}
const json = (value: unknown): MockAnswer => ({ status: 200, json: value })

/** The mock's answers for OpenAI's other paths than chats, embeddings and models; null for unknown paths. */
export function answerOpenAiObjects(method: string, path: string, ask: MockAsk): MockAnswer | null {
	const [, area = '', rest = ''] =
		/\/(responses|images|audio|files|batches|moderations|conversations|vector_stores)(?:\/(.+))?$/.exec(
			path,
		) ?? []
	return areas[area]?.(method, rest, ask) ?? null
}

type Area = (method: string, rest: string, ask: MockAsk) => MockAnswer
const areas: Record<string, Area> = {
	responses: (method, rest, ask) => {
		if (rest === 'input_tokens') return json({ object: 'response.input_tokens', input_tokens: 100 })
		if (method === 'POST' && rest === '') return ask.stream ? streamResponse(ask) : json(responseOf(ask))
		const [id = ''] = rest.split('/')
		if (method === 'DELETE') return json({ id, object: 'response', deleted: true })
		if (rest.endsWith('/input_items')) return json({ object: 'list', data: [], has_more: false })
		return json({ ...responseOf(ask), id })
	},
	images: (_method, _rest, ask) => {
		if (!ask.stream) return json({ created: 1, data: [{ b64_json: 'AAAA' }], usage: mockImageUsage })
		const event = (type: string, more: object) =>
			`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
		return {
			status: 200,
			frames: [
				event('image_generation.partial_image', { b64_json: 'AA', partial_image_index: 0 }),
				event('image_generation.completed', { b64_json: 'AAAA', usage: mockImageUsage }),
			],
		}
	},
	audio: (_method, rest) =>
		rest === 'speech'
			? { status: 200, bytes: mockSpeech, headers: { 'content-type': 'audio/mpeg' } }
			: json({ text: 'Grüezi', usage: mockTranscriptUsage }),
	files: (method, rest) => {
		const [id = '', part] = rest.split('/')
		if (part === 'content')
			return { status: 200, bytes: mockSpeech, headers: { 'content-type': 'application/octet-stream' } }
		if (method === 'DELETE') return json({ id, object: 'file', deleted: true })
		return json({
			id: id || newId('file'),
			object: 'file',
			purpose: 'batch',
			filename: 'a.jsonl',
			bytes: 3,
			created_at: 1,
		})
	},
	moderations: () =>
		json({ id: newId('modr'), model: 'omni-moderation-latest', results: [{ flagged: false }] }),
	conversations: (method, rest) => {
		const [id = '', part] = rest.split('/')
		if (part === 'items')
			return json({ object: 'list', data: [{ id: newId('msg'), type: 'message' }], has_more: false })
		if (method === 'DELETE') return json({ id, object: 'conversation.deleted', deleted: true })
		return json({ id: id || newId('conv'), object: 'conversation', created_at: 1, metadata: {} })
	},
	vector_stores: (method, rest) => {
		const [id = '', part] = rest.split('/')
		if (part === 'search')
			return json({ object: 'vector_store.search_results.page', data: [], has_more: false })
		if (part) return json({ id: newId('file'), object: 'vector_store.file', vector_store_id: id, data: [] })
		if (method === 'DELETE') return json({ id, object: 'vector_store.deleted', deleted: true })
		return json({ id: id || newId('vs'), object: 'vector_store', created_at: 1, name: 'n' })
	},
	batches: (_method, rest) => {
		const [id = ''] = rest.split('/')
		const done = id !== '' && { status: 'completed', output_file_id: `file_of_${id}` }
		return json({ id: id || newId('batch'), object: 'batch', status: 'validating', ...done })
	},
}

function responseOf(ask: MockAsk, text = wordsFor('').join('')) {
	const content = [{ type: 'output_text', text, annotations: [] }]
	const message = { id: newId('msg'), type: 'message', role: 'assistant', status: 'completed', content }
	const envelope = { id: newId('resp'), object: 'response', created_at: 1, model: `${ask.model}-2026-11-01` }
	const done = { status: 'completed', service_tier: 'default', usage: mockResponseUsage }
	return { ...envelope, ...done, output: [message], tool_usage: { web_search: { num_requests: 2 } } }
}

function streamResponse(ask: MockAsk): MockAnswer {
	const whole = responseOf(ask)
	const [message] = whole.output
	let sequence_number = 0
	const event = (type: string, fields: object) => {
		sequence_number += 1
		return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`
	}
	const begun = { ...whole, status: 'in_progress', usage: null, output: [] }
	const place = { output_index: 0, content_index: 0, item_id: message?.id }
	const part = { type: 'output_text', text: '', annotations: [] }
	const deltas = wordsFor('').map((delta) => event('response.output_text.delta', { ...place, delta }))
	return {
		status: 200,
		frames: [
			event('response.created', { response: begun }),
			event('response.output_item.added', {
				output_index: 0,
				item: { ...message, status: 'in_progress', content: [] },
			}),
			event('response.content_part.added', { ...place, part }),
			...deltas,
			event('response.output_item.done', { output_index: 0, item: message }),
			event('response.completed', { response: whole }),
		],
	}
}
