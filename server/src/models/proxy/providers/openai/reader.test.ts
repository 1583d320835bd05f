import { expect, test } from 'vitest'
import { readAnswer } from '../../tee/response-tee.ts'
import { newReader as newAnthropicReader } from '../anthropic/reader.ts'
import { newReader, readUsage } from './reader.ts'

test.each(['embeddings', 'rerank'])('%s: a total alone is input', (operation) => {
	const { onBody, reading } = newReader({ operation })
	onBody(new Map([['usage', { total_tokens: 12 }]]))
	expect(reading.usage?.lines).toMatchObject([{ dimension: 'in_text', quantity: 12 }])
})

test.each([
	['used up', { type: 'insufficient_quota', code: 'insufficient_quota' }, 'insufficient_quota'],
	['too many tokens', { type: 'tokens', code: 'rate_limit_exceeded' }, 'rate_limit_exceeded'],
	['too many requests', { type: 'requests', code: 'rate_limit_exceeded' }, 'rate_limit_exceeded'],
	[
		'the bill is at its limit',
		{ type: 'invalid_request_error', code: 'billing_hard_limit_reached' },
		'billing_hard_limit_reached',
	],
	[
		'a bad request',
		{ type: 'invalid_request_error', code: 'context_length_exceeded' },
		'invalid_request_error',
	],
	['a code alone', { type: null, code: 'server_error' }, 'server_error'],
])('an error by what it means: %s', (_name, error, expected) => {
	const whole = newReader({ operation: 'chat/completions' })
	whole.onBody(new Map([['error', error]]))
	const streamed = newReader({ operation: 'responses' })
	streamed.onEvent(JSON.stringify({ type: 'error', error }), 'error')
	expect([whole.reading.errorType, streamed.reading.errorType]).toEqual([expected, expected])
})

test.each([
	['a completion', { choices: [{ index: 0, finish_reason: 'length' }] }, 'length'],
	['a response', { object: 'response', status: 'completed', incomplete_details: null }, 'completed'],
	[
		'a response that was cut',
		{ object: 'response', status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
		'max_output_tokens',
	],
	['a response in the background', { object: 'response', status: 'queued', background: true }, ''],
	['a batch', { object: 'batch', status: 'completed' }, ''],
])('why an answer ended, whole and streamed: %s', (_name, body, expected) => {
	const whole = newReader({ operation: 'responses' })
	const text = JSON.stringify({ id: 'x', ...body })
	readAnswer(whole, 'application/json', Buffer.from(text))
	const streamed = newReader({ operation: 'responses' })
	streamed.onEvent('choices' in body ? text : JSON.stringify({ type: 'response.x', response: body }), '')
	expect([whole.reading.finishReason, streamed.reading.finishReason]).toEqual([expected, expected])
})

test.each([
	['xAI', 2, 343, { out_text: 2, out_reasoning: 310 }, false],
	['OpenAI', 312, 343, { out_text: 2, out_reasoning: 310 }, false],
	['a contradiction', 2, 33, { out_reasoning: 310 }, true],
])(
	'thinking beside the completion tokens or in them, by the total: %s',
	(_name, completion, total, output, inconsistent) => {
		const usage = readUsage({
			...{ prompt_tokens: 31, completion_tokens: completion, total_tokens: total },
			completion_tokens_details: { reasoning_tokens: 310 },
		})
		const lines = usage?.lines.map(({ dimension, quantity }) => [dimension, quantity])
		expect(Object.fromEntries(lines ?? [])).toEqual({ in_text: 31, ...output })
		expect(usage?.inconsistent).toBe(inconsistent)
	},
)

test('Mistral counts sound in seconds, beside the tokens; an empty object if there was none', () => {
	const transcription = {
		prompt_tokens: 4,
		completion_tokens: 635,
		total_tokens: 3264,
		prompt_audio_seconds: 203,
	}
	expect(readUsage(transcription)).toEqual({
		lines: [
			{ dimension: 'in_text', quantity: 4, iteration: 0, model: '' },
			{ dimension: 'out_text', quantity: 635, iteration: 0, model: '' },
			{ dimension: 'audio_s', quantity: 203, iteration: 0, model: '' },
		],
		inconsistent: false,
	})
	const chat = readUsage({
		prompt_tokens: 4,
		completion_tokens: 2,
		total_tokens: 6,
		prompt_audio_seconds: {},
	})
	expect(chat?.lines.map(({ dimension }) => dimension)).toEqual(['in_text', 'out_text'])
})

test("Moonshot's usage of a stream is in its last choice", () => {
	const { onEvent, reading } = newReader({ operation: 'chat' })
	const usage = { prompt_tokens: 19, completion_tokens: 13, total_tokens: 32, cached_tokens: 8 }
	onEvent(
		JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] }),
		'',
	)
	expect(reading.complete).toBe(false)
	onEvent(JSON.stringify({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }), '')
	onEvent('[DONE]', '')
	expect(reading).toMatchObject({ complete: true, ended: true, finishReason: 'stop', rawUsage: usage })
	expect(reading.usage?.lines.map(({ dimension, quantity }) => [dimension, quantity])).toEqual([
		['in_text', 11],
		['cache_read', 8],
		['out_text', 13],
	])
})

test('what Alibaba writes to the cache is counted as that', () => {
	const parts = { cached_tokens: 0, cache_creation_input_tokens: 1605, cache_type: 'ephemeral' }
	const usage = readUsage({
		...{ prompt_tokens: 1618, completion_tokens: 7, total_tokens: 1625 },
		prompt_tokens_details: { ...parts, cache_creation: { ephemeral_5m_input_tokens: 1605 } },
	})
	expect(usage?.lines.map(({ dimension, quantity }) => [dimension, quantity])).toEqual([
		['in_text', 13],
		['cache_write_5m', 1605],
		['out_text', 7],
	])
})

test("LiteLLM's proxy tells how long Anthropic keeps what was written to the cache", () => {
	const created = { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 }
	const parts = { cache_write_tokens: 100, cached_tokens: 1000, cache_creation_tokens: 100 }
	const usage = readUsage({
		...{ prompt_tokens: 1110, completion_tokens: 7, total_tokens: 1117 },
		prompt_tokens_details: { ...parts, text_tokens: 10, cache_creation_token_details: created },
	})
	expect(usage?.lines.map(({ dimension, quantity }) => [dimension, quantity])).toEqual([
		['in_text', 10],
		['cache_read', 1000],
		['cache_write_5m', 60],
		['cache_write_1h', 40],
		['out_text', 7],
	])
})

test('a cost in a header of LiteLLM, in the form of Anthropic', () => {
	const { onHeaders, onBody, reading } = newAnthropicReader({ operation: 'chat' })
	expect(onHeaders?.({ 'x-litellm-response-cost': '0.0009' })).toBe(true)
	onBody(new Map([['usage', { input_tokens: 10, output_tokens: 7 }]]))
	expect(reading.usage?.lines.at(-1)).toMatchObject({ dimension: 'reported_cost', quantity: 900_000 })
})

test.each([
	['a whole answer', '6.4e-05', { prompt_tokens: 8, completion_tokens: 2 }, 64_000],
	['an answer without usage', '0.04', undefined, 40_000_000],
	[
		'an answer that reports another cost itself',
		'0.5',
		{ prompt_tokens: 8, completion_tokens: 2, cost: 0.25 },
		250_000_000,
	],
	['a model whose price LiteLLM does not know', '0.0', { prompt_tokens: 8, completion_tokens: 2 }, undefined],
	['no cost', 'None', { prompt_tokens: 8, completion_tokens: 2 }, undefined],
])("the cost in a header of LiteLLM's proxy: %s", (_name, header, usage, nano) => {
	const { onHeaders, onBody, reading } = newReader({ operation: 'chat' })
	onHeaders?.({ 'x-litellm-response-cost': header })
	onBody(new Map(Object.entries({ id: 'x', ...(usage && { usage }) })))
	const reported = reading.usage?.lines.find(({ dimension }) => dimension === 'reported_cost')
	expect(reported?.quantity).toBe(nano)
	expect(reading.complete).toBe(true)
})
