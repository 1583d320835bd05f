import { describe, expect, it } from 'vitest'
import { newReader as readAnthropicStream } from './anthropic/reader.ts'
import { readUsage as readAnthropic } from './anthropic/usage.ts'
import { newReader as readOpenAiStream } from './openai/reader.ts'
import { readUsage as readOpenAi } from './openai/usage.ts'
import type { Usage } from './provider.ts'

/** Tokens in the order input, cache read, cache write, output, reasoning. */
type Buckets = [number, number, number, number, number]
const bucketsOf = (usage: Usage | null): Buckets | null =>
	usage && [
		usage.inputTokens,
		usage.cacheReadTokens,
		usage.cacheWriteTokens,
		usage.outputTokens,
		usage.reasoningTokens,
	]

const prompt = (
	prompt_tokens: number,
	completion_tokens: number,
	cached = 0,
	written = 0,
	reasoning = 0,
) => ({
	prompt_tokens,
	completion_tokens,
	prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
	completion_tokens_details: { reasoning_tokens: reasoning },
})

const openAiVectors: [string, unknown, Buckets | null][] = [
	['plain figures', { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 }, [9, 0, 0, 12, 0]],
	['cached tokens are a part of the prompt', prompt(2006, 300, 1920), [86, 1920, 0, 300, 0]],
	['the whole prompt was cached', prompt(1024, 5, 1024), [0, 1024, 0, 5, 0]],
	['cache writes are a part of the prompt', prompt(5000, 100, 1000, 3000), [1000, 1000, 3000, 100, 0]],
	['everything was written to the cache', prompt(4096, 1, 0, 4096), [0, 0, 4096, 1, 0]],
	['reasoning is a part of the completion', prompt(75, 1186, 0, 0, 1024), [75, 0, 0, 162, 1024]],
	['nothing but reasoning', prompt(10, 512, 0, 0, 512), [10, 0, 0, 0, 512]],
	['all parts at once', prompt(10_000, 2000, 6000, 1500, 700), [2500, 6000, 1500, 1300, 700]],
	[
		'details that are null',
		{ prompt_tokens: 3, completion_tokens: 4, prompt_tokens_details: null, completion_tokens_details: null },
		[3, 0, 0, 4, 0],
	],
	[
		'details with null members',
		{ prompt_tokens: 3, completion_tokens: 4, prompt_tokens_details: { cached_tokens: null } },
		[3, 0, 0, 4, 0],
	],
	[
		'audio stays in the prompt and the completion',
		{
			prompt_tokens: 50,
			completion_tokens: 40,
			prompt_tokens_details: { audio_tokens: 30, text_tokens: 20 },
			completion_tokens_details: { audio_tokens: 25 },
		},
		[50, 0, 0, 40, 0],
	],
	[
		'rejected predictions are billed as output',
		{
			prompt_tokens: 5,
			completion_tokens: 60,
			completion_tokens_details: { accepted_prediction_tokens: 10, rejected_prediction_tokens: 20 },
		},
		[5, 0, 0, 60, 0],
	],
	['a whole answer of zero tokens', prompt(0, 0), [0, 0, 0, 0, 0]],
	['an embedding has no output', { prompt_tokens: 8, total_tokens: 8 }, [8, 0, 0, 0, 0]],
	['a long prompt', prompt(272_001, 128_000, 200_000), [72_001, 200_000, 0, 128_000, 0]],
	['more cached than asked is clamped', prompt(10, 5, 12), [0, 12, 0, 5, 0]],
	['more reasoning than output is clamped', prompt(10, 5, 0, 0, 9), [10, 0, 0, 0, 9]],
	['text in place of a number says nothing', { prompt_tokens: '9', completion_tokens: 2 }, [0, 0, 0, 2, 0]],
	['negative and broken numbers say nothing', { prompt_tokens: -1, completion_tokens: 2.5 }, null],
	['an empty object says nothing', {}, null],
	['null says nothing', null, null],
	['a list says nothing', [1, 2], null],
	['responses: plain', { input_tokens: 36, output_tokens: 87, total_tokens: 123 }, [36, 0, 0, 87, 0]],
	[
		'responses: cached, written and reasoning',
		{
			input_tokens: 4000,
			input_tokens_details: {
				cached_tokens: 1000,
				cache_write_tokens: 2000,
				cache_write_tokens_details: { ttl_30m_tokens: 2000, ttl_12h_tokens: 0 },
			},
			output_tokens: 500,
			output_tokens_details: { reasoning_tokens: 320 },
		},
		[1000, 1000, 2000, 180, 320],
	],
	['a router adds its own cost', { ...prompt(11, 7, 3), cost: 0.00012, cost_details: {} }, [8, 3, 0, 7, 0]],
]

const write = (total: number, fiveMinutes: number, oneHour: number) => ({
	cache_creation_input_tokens: total,
	cache_creation: { ephemeral_5m_input_tokens: fiveMinutes, ephemeral_1h_input_tokens: oneHour },
})

const anthropicVectors: [string, unknown, Buckets | null][] = [
	['plain figures', { input_tokens: 12, output_tokens: 8 }, [12, 0, 0, 8, 0]],
	[
		'input is already without the cache',
		{
			input_tokens: 21,
			cache_creation_input_tokens: 188_086,
			cache_read_input_tokens: 0,
			output_tokens: 393,
		},
		[21, 0, 188_086, 393, 0],
	],
	[
		'a cache read',
		{
			input_tokens: 21,
			cache_creation_input_tokens: 0,
			cache_read_input_tokens: 188_086,
			output_tokens: 393,
		},
		[21, 188_086, 0, 393, 0],
	],
	[
		'read and write',
		{ input_tokens: 4, cache_creation_input_tokens: 500, cache_read_input_tokens: 9000, output_tokens: 1 },
		[4, 9000, 500, 1, 0],
	],
	[
		'a split of writes adds up to the total',
		{ input_tokens: 4, ...write(150, 50, 100), output_tokens: 1 },
		[4, 0, 150, 1, 0],
	],
	[
		'a total above its split keeps the rest',
		{ input_tokens: 4, ...write(200, 50, 100), output_tokens: 1 },
		[4, 0, 200, 1, 0],
	],
	[
		'a split without a total counts',
		{
			input_tokens: 4,
			cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 9 },
			output_tokens: 1,
		},
		[4, 0, 16, 1, 0],
	],
	[
		'thinking is a part of the output',
		{ input_tokens: 30, output_tokens: 900, output_tokens_details: { thinking_tokens: 650 } },
		[30, 0, 0, 250, 650],
	],
	[
		'null cache figures',
		{ input_tokens: 3, cache_creation_input_tokens: null, cache_read_input_tokens: null, output_tokens: 2 },
		[3, 0, 0, 2, 0],
	],
	[
		'server tools are not tokens',
		{
			input_tokens: 105,
			output_tokens: 6039,
			cache_read_input_tokens: 7123,
			server_tool_use: { web_search_requests: 1 },
		},
		[105, 7123, 0, 6039, 0],
	],
	[
		'compaction is billed but not in the top-level figures',
		{
			input_tokens: 100,
			output_tokens: 10,
			iterations: [
				{ type: 'compaction', input_tokens: 5000, output_tokens: 400 },
				{ type: 'message', input_tokens: 100, output_tokens: 10 },
			],
		},
		[5100, 0, 0, 410, 0],
	],
	[
		'an advisor is billed too',
		{
			input_tokens: 7,
			output_tokens: 3,
			iterations: [
				{ type: 'message', input_tokens: 7, output_tokens: 3 },
				{
					type: 'advisor_message',
					model: 'claude-opus-5',
					input_tokens: 70,
					cache_read_input_tokens: 20,
					output_tokens: 30,
				},
			],
		},
		[77, 20, 0, 33, 0],
	],
	[
		'a fallback is in the top-level figures',
		{
			input_tokens: 7,
			output_tokens: 3,
			iterations: [{ type: 'fallback_message', input_tokens: 7, output_tokens: 3 }],
		},
		[7, 0, 0, 3, 0],
	],
	[
		'unknown iterations add nothing',
		{ input_tokens: 1, output_tokens: 1, iterations: [{ type: 'new_kind', input_tokens: 9 }, null, 4] },
		[1, 0, 0, 1, 0],
	],
	[
		'more thinking than output is clamped',
		{ input_tokens: 1, output_tokens: 5, output_tokens_details: { thinking_tokens: 8 } },
		[1, 0, 0, 0, 8],
	],
	['zero tokens', { input_tokens: 0, output_tokens: 0 }, [0, 0, 0, 0, 0]],
	['an empty object says nothing', {}, null],
	['null says nothing', null, null],
]

describe('usage vectors', () => {
	it.each(openAiVectors)('openai: %s', (_name, wire, expected) => {
		expect(bucketsOf(readOpenAi(wire))).toEqual(expected)
	})
	it.each(anthropicVectors)('anthropic: %s', (_name, wire, expected) => {
		expect(bucketsOf(readAnthropic(wire))).toEqual(expected)
	})
	it('contradicting figures are marked, sound ones are not', () => {
		expect(readOpenAi(prompt(10, 5, 12))?.inconsistent).toBe(true)
		expect(readOpenAi(prompt(10, 5, 0, 0, 9))?.inconsistent).toBe(true)
		expect(readOpenAi(prompt(10, 5, 10, 0, 5))?.inconsistent).toBe(false)
		expect(
			readAnthropic({ output_tokens: 5, output_tokens_details: { thinking_tokens: 8 } })?.inconsistent,
		).toBe(true)
	})
})

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
		const reader = readOpenAiStream()
		for (const event of events) reader.onEvent(event, '')
		expect(bucketsOf(reader.reading.usage)).toEqual(expected)
		expect(reader.reading.complete).toBe(expected !== null)
	})
	it.each(anthropicStreams)('anthropic: %s', (_name, events, expected) => {
		const reader = readAnthropicStream()
		for (const event of events) reader.onEvent(event, '')
		expect(bucketsOf(reader.reading.usage)).toEqual(expected)
		expect(reader.reading).toMatchObject({ complete: true, ended: true })
	})
	it('anthropic: a stream that ends after its start is not complete', () => {
		const reader = readAnthropicStream()
		reader.onEvent(start({ input_tokens: 25, output_tokens: 1 }), 'message_start')
		expect(bucketsOf(reader.reading.usage)).toEqual([25, 0, 0, 1, 0])
		expect(reader.reading).toMatchObject({ complete: false, ended: false })
	})
})
