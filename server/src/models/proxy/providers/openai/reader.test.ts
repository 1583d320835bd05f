import { expect, test } from 'vitest'
import { readAnswer } from '../../tee/response-tee.ts'
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
