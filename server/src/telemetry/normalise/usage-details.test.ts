import { expect, test } from 'vitest'
import { map } from './map.testing.ts'

const chat = {
	'gen_ai.operation.name': 'chat',
	'gen_ai.usage.input_tokens': 1000n,
	'gen_ai.usage.output_tokens': 50n,
}

test.each<[string, object, object]>([
	[
		'OpenAI',
		{
			...{ prompt_tokens: 1000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 600 } },
			completion_tokens_details: { reasoning_tokens: 20 },
		},
		{ inputTokens: 400, cacheReadTokens: 600, outputTokens: 30, reasoningTokens: 20 },
	],
	[
		'responses',
		{
			...{ input_tokens: 1000, output_tokens: 50, input_tokens_details: { cached_tokens: 600 } },
			output_tokens_details: { reasoning_tokens: 20 },
		},
		{ inputTokens: 400, cacheReadTokens: 600, outputTokens: 30, reasoningTokens: 20 },
	],
	[
		'responses that wrote to the cache',
		{
			input_tokens: 1000,
			output_tokens: 50,
			input_tokens_details: { cached_tokens: 600, cache_write_tokens: 100 },
		},
		{ inputTokens: 300, cacheReadTokens: 600, cacheWriteTokens: 100, outputTokens: 50 },
	],
	[
		'Anthropic, summed up by Logfire',
		{ input_tokens: 600, cache_read_input_tokens: 300, cache_creation_input_tokens: 100, output_tokens: 50 },
		{ inputTokens: 600, cacheReadTokens: 300, cacheWriteTokens: 100, outputTokens: 50 },
	],
	[
		'Anthropic with thinking',
		{
			...{ input_tokens: 1000, cache_read_input_tokens: 300, cache_creation_input_tokens: 0 },
			...{ output_tokens: 50, output_tokens_details: { thinking_tokens: 20 } },
		},
		{ inputTokens: 1000, cacheReadTokens: 300, outputTokens: 30, reasoningTokens: 20 },
	],
	[
		'Anthropic, passed on as it is',
		{ input_tokens: 1000, cache_read_input_tokens: 300, cache_creation_input_tokens: 0, output_tokens: 50 },
		{ inputTokens: 1000, cacheReadTokens: 300, cacheWriteTokens: 0, outputTokens: 50 },
	],
])('Logfire reports the usage details of %s under names of its own', (_name, raw, expected) => {
	expect(map({ ...chat, 'gen_ai.usage.raw': JSON.stringify(raw) })).toMatchObject(expected)
})

test.each([
	['chat', 'openai', 'gpt-5', { inputTokens: 400, outputTokens: 30, costSource: 'computed' }],
	['messages', 'anthropic', 'claude-opus-4-5', { inputTokens: 1000, outputTokens: 30 }],
	['converse', 'bedrock', 'anthropic.claude-opus-4-5', { inputTokens: 1000, outputTokens: 30 }],
	['generate_content', 'gemini', 'gemini-2.5-pro', { inputTokens: 400, outputTokens: 50 }],
])('a call of Paid (%s) has the counts that its provider means', (operation, system, model, expected) => {
	const span = {
		...{ 'gen_ai.operation.name': operation, 'gen_ai.system': system, 'gen_ai.response.model': model },
		...{ 'gen_ai.usage.input_tokens': 1000n, 'gen_ai.usage.output_tokens': 50n },
		'gen_ai.usage.cached_input_tokens': 600n,
		'gen_ai.usage.reasoning_output_tokens': 20n,
	}
	expect(map(span, {}, { scope: 'paid.python' })).toMatchObject({
		...{ kind: 'model_call', cacheReadTokens: 600, reasoningTokens: 20 },
		...expected,
	})
})

test('the realtime models of LiveKit before 1.8 report cached tokens by a name of its own', () => {
	const span = {
		...{ 'gen_ai.request.model': 'gpt-realtime', 'gen_ai.provider.name': 'openai' },
		...{ 'gen_ai.usage.input_tokens': 1000n, 'gen_ai.usage.input_cached_tokens': 300n },
	}
	expect(map(span)).toMatchObject({ inputTokens: 700, cacheReadTokens: 300 })
})

test.each([
	['anthropic', 700n, 700],
	['openai', 1200n, 700],
])(
	'AgentScope has cached tokens under names of its own, beside the input of %s or within it',
	(provider, input, expected) => {
		const call = {
			...{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider, 'gen_ai.request.model': 'm' },
			...{ 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': 50n },
			...{
				'agentscope.usage.cache_input_tokens': 300n,
				'agentscope.usage.cache_creation_input_tokens': 200n,
			},
		}
		expect(map(call, {}, { scope: 'agentscope' })).toMatchObject({
			...{ inputTokens: expected, cacheReadTokens: 300, cacheWriteTokens: 200, outputTokens: 50 },
		})
	},
)
