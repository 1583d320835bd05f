import { expect, test } from 'vitest'
import type { AttributeValue } from '../span-row.ts'
import { map } from './map.testing.ts'

const pricedAs = (attributes: Record<string, AttributeValue>) => {
	const { ledger, costNanoUsd } = map(attributes)
	return { costNanoUsd, parts: Object.fromEntries(ledger.map((row) => [row.dimension, row.quantity])) }
}

const spoken = {
	'gen_ai.operation.name': 'realtime_inference',
	'gen_ai.provider.name': 'openai',
	'gen_ai.request.model': 'gpt-realtime',
	'gen_ai.usage.input_tokens': 1000n,
	'gen_ai.usage.cache_read.input_tokens': 300n,
	'gen_ai.usage.output_tokens': 500n,
}
const spokenParts = { in_text: 300, in_audio: 400, cache_read: 100, cache_read_audio: 200, out_text: 100 }

test('a realtime generation is a model call, and its audio has the price of audio', () => {
	const audio = {
		'gen_ai.usage.audio.input_tokens': 600n,
		'gen_ai.usage.audio.cache_read.input_tokens': 200n,
		'gen_ai.usage.audio.output_tokens': 400n,
	}
	expect(map({ ...spoken, ...audio })).toMatchObject({
		...{ kind: 'model_call', inputTokens: 700, cacheReadTokens: 300, outputTokens: 500 },
	})
	expect(pricedAs({ ...spoken, ...audio })).toEqual({
		costNanoUsd: 41_320_000n,
		parts: { ...spokenParts, out_audio: 400 },
	})
})

test('audio is never more than the tokens that it is a part of', () => {
	const { parts } = pricedAs({ ...spoken, 'gen_ai.usage.audio.input_tokens': 5000n })
	expect(parts).toEqual({ in_audio: 700, cache_read: 300, out_text: 500 })
})

const audioOf: [string, Record<string, AttributeValue>][] = [
	[
		'OpenInference',
		{ 'llm.token_count.prompt_details.audio': 100n, 'llm.token_count.completion_details.audio': 50n },
	],
	[
		'Pydantic AI',
		{ 'gen_ai.usage.details.input_audio_tokens': 100n, 'gen_ai.usage.details.output_audio_tokens': 50n },
	],
	[
		'LangSmith',
		{
			'langsmith.metadata.usage_metadata':
				'{"input_token_details":{"audio":100},"output_token_details":{"audio":50}}',
		},
	],
	[
		'Logfire',
		{
			'gen_ai.usage.raw':
				'{"prompt_tokens_details":{"audio_tokens":100},"completion_tokens_details":{"audio_tokens":50}}',
		},
	],
]
test.each(audioOf)('%s reports audio tokens under its own names', (_library, audio) => {
	const span = { ...spoken, ...audio }
	expect(pricedAs(span).parts).toMatchObject({ in_audio: 100, in_text: 600, out_audio: 50, out_text: 450 })
})

test("Langfuse's names of audio and of Anthropic's caches are recognised", () => {
	const usageOf = (model: string, usage: object) =>
		pricedAs({
			'langfuse.observation.type': 'generation',
			'langfuse.observation.model.name': model,
			'langfuse.observation.usage_details': JSON.stringify(usage),
		}).parts
	expect(usageOf('gpt-realtime', { input: 600, input_audio: 100, output: 450, output_audio: 50 })).toEqual({
		...{ in_text: 600, in_audio: 100, out_text: 450, out_audio: 50 },
	})
	const written = { input_ephemeral_5m_input_tokens: 100, input_ephemeral_1h_input_tokens: 200 }
	expect(usageOf('claude-opus-5', { input: 400, input_cache_read: 300, ...written, output: 50 })).toEqual({
		...{ in_text: 400, cache_read: 300, cache_write_5m: 100, cache_write_1h: 200, out_text: 50 },
	})
})

const claude = {
	'gen_ai.operation.name': 'chat',
	'gen_ai.provider.name': 'anthropic',
	'gen_ai.request.model': 'claude-opus-5',
	'gen_ai.usage.output_tokens': 100n,
}
const split = { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 }
test.each<[string, Record<string, AttributeValue>]>([
	[
		'LangChain, which sets their sum to zero',
		{
			'gen_ai.usage.input_tokens': 1000n,
			'langsmith.metadata.usage_metadata': JSON.stringify({
				input_token_details: { cache_read: 300, cache_creation: 0, ...split },
			}),
		},
	],
	[
		"the provider's own usage",
		{
			'gen_ai.usage.input_tokens': 1000n,
			'gen_ai.usage.raw': JSON.stringify({
				...{ input_tokens: 400, cache_read_input_tokens: 300, cache_creation_input_tokens: 300 },
				cache_creation: split,
			}),
		},
	],
	[
		"Anthropic's own client",
		{
			...{ 'gen_ai.usage.input_tokens': 1000n, 'gen_ai.usage.cache_read.input_tokens': 300n },
			'gen_ai.usage.cache_write.input_tokens': 300n,
			'anthropic.usage.cache_creation.ephemeral_1h_input_tokens': 200n,
		},
	],
	[
		'Pydantic AI',
		{
			...{ 'gen_ai.usage.input_tokens': 1000n, 'gen_ai.usage.cache_read.input_tokens': 300n },
			'gen_ai.usage.cache_creation.input_tokens': 300n,
			'gen_ai.usage.details.ephemeral_1h_input_tokens': 200n,
		},
	],
])('what Anthropic caches for an hour has the price of an hour, by %s', (_source, usage) => {
	expect(map({ ...claude, ...usage })).toMatchObject({
		...{ inputTokens: 400, cacheReadTokens: 300, cacheWriteTokens: 300, costNanoUsd: 7_275_000n },
	})
	expect(pricedAs({ ...claude, ...usage }).parts).toMatchObject({ cache_write_5m: 100, cache_write_1h: 200 })
})

test("Logfire reports an image's tokens in the provider's own usage, and they have a price of their own", () => {
	const details = { input_tokens_details: { image_tokens: 194, text_tokens: 10 } }
	const drawn = {
		...{ 'gen_ai.operation.name': 'image_generation', 'gen_ai.provider.name': 'openai' },
		...{ 'gen_ai.request.model': 'gpt-image-1', 'gen_ai.usage.input_tokens': 204n },
		'gen_ai.usage.output_tokens': 4160n,
		'gen_ai.usage.raw': JSON.stringify({ input_tokens: 204, output_tokens: 4160, ...details }),
	}
	expect(pricedAs(drawn).parts).toMatchObject({ in_text: 10, in_image: 194 })
	expect(map(drawn).costNanoUsd).toBe(168_390_000n)
})

test("Anthropic's client reports the terms of a call, as its batches have them", () => {
	const call = { ...claude, 'gen_ai.usage.input_tokens': 1000n }
	const [ordinary, half] = ['standard', 'batch'].map(
		(tier) => map({ ...call, 'anthropic.response.service_tier': tier }).costNanoUsd,
	)
	expect([ordinary, half]).toEqual([7_500_000n, 3_750_000n])
})

test.each(['openai.response.service_tier', 'gen_ai.openai.response.service_tier'])(
	'%s changes the price',
	(name) => {
		const call = {
			...{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai' },
			...{ 'gen_ai.request.model': 'gpt-5', 'gen_ai.usage.input_tokens': 1000n },
		}
		expect(map({ ...call, [name]: 'default' }).costNanoUsd).toBe(1_250_000n)
		expect(map({ ...call, [name]: 'flex' }).costNanoUsd).toBe(625_000n)
		// Its price is not known.
		expect(map({ ...call, [name]: 'priority' })).toMatchObject({ costNanoUsd: null, costSource: '' })
	},
)

test.each([
	['groq.chat', 'llama-3.3-70b-versatile'],
	['deepseek.chat', 'deepseek-chat'],
	['cohere.chat', 'command-r-plus'],
	['azure.responses', 'gpt-5'],
	['azure.chat', 'gpt-5'],
	['vertex.anthropic.messages', 'claude-opus-4-5'],
	['openrouter.chat', 'openai/gpt-5'],
	['cerebras.chat', 'llama3.1-8b'],
	// Vercel's gateway bills what the provider of the model does.
	['gateway', 'openai/gpt-5'],
])('a call of the AI SDK through its provider %s has a price', (provider, model) => {
	const span = {
		...{
			'ai.operationId': 'ai.generateText.doGenerate',
			'ai.model.provider': provider,
			'ai.model.id': model,
		},
		...{ 'ai.usage.inputTokens': 1000n, 'ai.usage.outputTokens': 50n },
	}
	expect(map(span)).toMatchObject({
		kind: 'model_call',
		costSource: 'computed',
		model: '',
		modelRequested: model,
	})
})
