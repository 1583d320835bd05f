import { describe, expect, it } from 'vitest'
import { newReader as readAnthropicStream } from './anthropic/reader.ts'
import { newReader as readOpenAiStream } from './openai/reader.ts'
import { type Buckets, bucketsOf, prompt, write } from './testing-usage.ts'

const chunk = (fields: object) =>
	JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'hi' } }], ...fields })
const completed = (type: string, usage: object) =>
	JSON.stringify({ type, response: { id: 'r', model: 'm', usage } })

const openAiStreams: [string, string[], Buckets | null][] = [
	[
		'usage in a chunk of its own',
		[chunk({ usage: null }), chunk({ choices: [], usage: prompt(5, 3) }), '[DONE]'],
		[5, 0, 0, 3, 0],
	],
	['usage together with choices', [chunk({}), chunk({ usage: prompt(5, 3, 2) }), '[DONE]'], [3, 2, 0, 3, 0]],
	[
		'cumulative usage on every chunk: the last stands',
		[chunk({ usage: prompt(5, 1) }), chunk({ usage: prompt(5, 2) }), chunk({ usage: prompt(5, 3) })],
		[5, 0, 0, 3, 0],
	],
	[
		'usage that is null again afterwards',
		[chunk({ usage: prompt(5, 1) }), chunk({ usage: null }), '[DONE]'],
		[5, 0, 0, 1, 0],
	],
	[
		'usage of Groq, in a place of its own',
		[chunk({}), chunk({ choices: [], x_groq: { id: 'req', usage: prompt(5, 3, 2) } }), '[DONE]'],
		[3, 2, 0, 3, 0],
	],
	['no usage at all', [chunk({}), '[DONE]'], null],
	['broken events between', ['{"id":', '', 'null', '[]', chunk({ usage: prompt(1, 1) })], [1, 0, 0, 1, 0]],
	[
		'responses: completed',
		[
			JSON.stringify({ type: 'response.created', response: { id: 'r', usage: null } }),
			completed('response.completed', { input_tokens: 9, output_tokens: 4 }),
		],
		[9, 0, 0, 4, 0],
	],
	[
		'responses: incomplete',
		[
			completed('response.incomplete', {
				input_tokens: 9,
				output_tokens: 4,
				output_tokens_details: { reasoning_tokens: 4 },
			}),
		],
		[9, 0, 0, 0, 4],
	],
	[
		'responses: failed',
		[completed('response.failed', { input_tokens: 9, output_tokens: 0 })],
		[9, 0, 0, 0, 0],
	],
]

const start = (usage: object) =>
	JSON.stringify({ type: 'message_start', message: { id: 'm', model: 'c', usage } })
const delta = (usage: object) =>
	JSON.stringify({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })
const stop = JSON.stringify({ type: 'message_stop' })

const anthropicStreams: [string, string[], Buckets | null][] = [
	[
		'cumulative deltas are never added',
		[
			start({ input_tokens: 25, output_tokens: 1 }),
			delta({ output_tokens: 7 }),
			delta({ output_tokens: 15 }),
			stop,
		],
		[25, 0, 0, 15, 0],
	],
	[
		'the delta repeats the input',
		[start({ input_tokens: 25, output_tokens: 1 }), delta({ input_tokens: 25, output_tokens: 15 }), stop],
		[25, 0, 0, 15, 0],
	],
	[
		'the delta corrects the input',
		[
			start({ input_tokens: 25, output_tokens: 1 }),
			delta({ input_tokens: 30, cache_read_input_tokens: 9, output_tokens: 15 }),
			stop,
		],
		[30, 9, 0, 15, 0],
	],
	[
		'null in a delta says nothing',
		[
			start({ input_tokens: 25, cache_read_input_tokens: 8, output_tokens: 1 }),
			delta({ input_tokens: null, cache_read_input_tokens: null, output_tokens: 2 }),
			stop,
		],
		[25, 8, 0, 2, 0],
	],
	[
		'the split stays from the start, the rest is added by the total',
		[
			start({ input_tokens: 1, ...write(30, 10, 20), output_tokens: 1 }),
			delta({ cache_creation_input_tokens: 50, output_tokens: 3 }),
			stop,
		],
		[1, 0, 50, 3, 0],
	],
	[
		'zero in a delta does not take back the start',
		[start({ input_tokens: 25, output_tokens: 1 }), delta({ input_tokens: 0, output_tokens: 4 }), stop],
		[25, 0, 0, 4, 0],
	],
	[
		'pings and unknown events are passed over',
		[
			start({ input_tokens: 2, output_tokens: 1 }),
			'{"type":"ping"}',
			'{"type":"constructor"}',
			delta({ output_tokens: 2 }),
			stop,
		],
		[2, 0, 0, 2, 0],
	],
	[
		'thinking in the last delta',
		[
			start({ input_tokens: 2, output_tokens: 1 }),
			delta({ output_tokens: 50, output_tokens_details: { thinking_tokens: 40 } }),
			stop,
		],
		[2, 0, 0, 10, 40],
	],
]

describe('usage of streams', () => {
	it.each(openAiStreams)('openai: %s', (_name, events, expected) => {
		const reader = readOpenAiStream({ operation: 'chat' })
		for (const event of events) reader.onEvent(event, '')
		expect(bucketsOf(reader.reading.usage)).toEqual(expected)
		expect(reader.reading.complete).toBe(expected !== null)
	})
	it.each(anthropicStreams)('anthropic: %s', (_name, events, expected) => {
		const reader = readAnthropicStream({ operation: 'chat' })
		for (const event of events) reader.onEvent(event, '')
		expect(bucketsOf(reader.reading.usage)).toEqual(expected)
		expect(reader.reading).toMatchObject({ complete: true, ended: true })
	})
	it('anthropic: a substitute that answers is the model of the top-level figures, and what the other said is billed', () => {
		const reader = readAnthropicStream({ operation: 'chat' })
		const declined = { input_tokens: 2, output_tokens: 578, cache_creation_input_tokens: 10_421 }
		const answered = { input_tokens: 2, output_tokens: 13_658, cache_read_input_tokens: 79_214 }
		const silent = { type: 'message', model: 'c', input_tokens: 9, output_tokens: 0 }
		const to = { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } }
		const iterations = [
			{ type: 'message', model: 'a', ...declined },
			silent,
			{ type: 'fallback_message', model: 'b', ...answered },
		]
		const message = { id: 'msg', model: 'a', usage: { ...declined, output_tokens: 1 } }
		reader.onEvent(JSON.stringify({ type: 'message_start', message }), '')
		reader.onEvent(JSON.stringify({ type: 'content_block_start', index: 1, content_block: to }), '')
		for (const event of [delta({ ...answered, iterations }), stop]) reader.onEvent(event, '')
		const { usage, model } = reader.reading
		expect([bucketsOf(usage), model]).toEqual([[4, 79_214, 10_421, 14_236, 0], 'b'])
		const ofDeclined = usage?.lines.filter((line) => line.model === 'a')
		expect(ofDeclined?.map(({ dimension, quantity }) => [dimension, quantity])).toEqual([
			['in_text', 2],
			['cache_write_5m', 10_421],
			['out_text', 578],
		])
	})
	it('anthropic: a stream that ends after its start is not complete', () => {
		const reader = readAnthropicStream({ operation: 'chat' })
		reader.onEvent(start({ input_tokens: 25, output_tokens: 1 }), 'message_start')
		expect(bucketsOf(reader.reading.usage)).toEqual([25, 0, 0, 1, 0])
		expect(reader.reading).toMatchObject({ complete: false, ended: false })
	})
})
