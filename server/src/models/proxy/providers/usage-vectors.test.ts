import { describe, expect, it } from 'vitest'
import { readUsage as readAnthropic } from './anthropic/reader.ts'
import { readUsage as readBedrock } from './bedrock/index.ts'
import { readUsage as readGemini } from './gemini/usage.ts'
import { readUsage as readOpenAi } from './openai/reader.ts'
import { type Buckets, bucketsOf, prompt, write } from './testing-usage.ts'

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
		'what Mistral had cached',
		{ prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050, num_cached_tokens: 600 },
		[400, 600, 0, 50, 0],
	],
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
	[
		'DeepSeek counts cached tokens beside the details',
		{ ...prompt(1234, 567, 0, 0, 321), prompt_cache_hit_tokens: 1000, prompt_cache_miss_tokens: 234 },
		[234, 1000, 0, 246, 321],
	],
	['Moonshot does, too', { prompt_tokens: 19, completion_tokens: 21, cached_tokens: 10 }, [9, 10, 0, 21, 0]],
	[
		'both places name the same tokens',
		{ ...prompt(1234, 5, 1000), prompt_cache_hit_tokens: 1000 },
		[234, 1000, 0, 5, 0],
	],
	['a router adds its own cost', { ...prompt(11, 7, 3), cost: 0.00012, cost_details: {} }, [8, 3, 0, 7, 0]],
]

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
	it('a figure that is no count is marked, and if there is no other, nothing is known', () => {
		for (const bad of [-1, 10.5, 1e30, '12']) {
			expect(readOpenAi({ prompt_tokens: bad, completion_tokens: 2 })?.inconsistent).toBe(true)
			expect(readAnthropic({ input_tokens: 2, output_tokens: bad })?.inconsistent).toBe(true)
			expect(readBedrock({ inputTokens: bad, outputTokens: 2 })?.inconsistent).toBe(true)
			expect(readGemini({ promptTokenCount: 2, candidatesTokenCount: bad })?.inconsistent).toBe(true)
			expect(readAnthropic({ input_tokens: bad, output_tokens: bad })).toBeNull()
		}
		expect(readOpenAi({ prompt_tokens: 1, completion_tokens: null })?.inconsistent).toBe(false)
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
