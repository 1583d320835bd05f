import { expect, test } from 'vitest'
import type { AttributeValue } from '../span-row.ts'
import { map, startNs } from './map.testing.ts'

const chat = {
	'gen_ai.operation.name': 'chat',
	'gen_ai.usage.input_tokens': 1000n,
	'gen_ai.usage.output_tokens': 50n,
}
const priced = { costNanoUsd: 5_000_000n, costSource: 'computed' }

test.each<[string, string, string, object]>([
	['Strands', 'strands-agents', 'gpt-5.6-sol', priced],
	['Strands with LiteLLM', 'strands-agents', 'openai/gpt-5.6-sol', priced],
	['the ADK with LiteLLM', 'openai', 'openai/gpt-5.6-sol', priced],
	['LiteLLM without a provider', '', 'openai/gpt-5.6-sol', priced],
	[
		'Strands with Bedrock',
		'strands-agents',
		'us.anthropic.claude-opus-4-5-20251101-v1:0',
		{ costSource: 'computed' },
	],
	['Strands with a model of nobody', 'strands-agents', 'house-model', { costNanoUsd: null }],
	['another provider of a model with a slash', 'house', 'openai/gpt-5.6-sol', { costNanoUsd: null }],
])('%s: %s, %s has the price of the model', (_name, provider, model, expected) => {
	const span = map({ ...chat, 'gen_ai.provider.name': provider, 'gen_ai.request.model': model })
	expect(span).toMatchObject({ ...expected, provider, modelRequested: model })
})

test.each([
	...['OpenAI.predict', 'OpenAI.apredict', 'OpenAI.stream', 'Ollama.astream', 'OpenAI.astructured_predict'],
	...[
		'OpenAI.predict_and_call',
		'OpenAIEmbedding._get_query_embedding',
		'OpenAIEmbedding._aget_text_embeddings',
	],
])('%s of LlamaIndex is a step of a call that has a span of its own', (name) => {
	const span = {
		'openinference.span.kind': name.includes('Embedding') ? 'EMBEDDING' : 'LLM',
		'llm.model_name': 'gpt-5.6-sol',
	}
	expect(map(span, {}, { name })).toMatchObject({ kind: 'other', usageSource: '' })
	const figures = { 'llm.token_count.prompt': 10n, 'llm.token_count.completion': 2n }
	expect(map({ ...span, ...figures }, {}, { name })).toMatchObject({ kind: 'model_call', inputTokens: 10 })
})

test.each([
	'OpenAI.chat',
	'OpenAI.astream_chat',
	'OpenAI.complete',
	'OpenAIEmbedding.get_text_embedding_batch',
])('%s of LlamaIndex is a call', (name) => {
	const span = { 'openinference.span.kind': 'LLM', 'llm.model_name': 'gpt-5.6-sol' }
	expect(map(span, {}, { name })).toMatchObject({ kind: 'model_call' })
})

test('the old ADK names itself where its provider belongs', () => {
	const span = map({ 'gen_ai.system': 'gcp.vertex.agent', 'gen_ai.request.model': 'gemini-2.5-pro' })
	expect(span).toMatchObject({ kind: 'model_call', provider: 'gcp.vertex.agent' })
})

test.each<[string, Record<string, AttributeValue>, bigint]>([
	['Strands, in milliseconds', { 'gen_ai.server.time_to_first_token': 166n }, 166_000_000n],
	['OpenLIT, in seconds', { 'gen_ai.server.time_to_first_token': 0.25 }, 250_000_000n],
	['the AI SDK 7', { 'gen_ai.client.operation.time_to_first_chunk': 0.25 }, 250_000_000n],
])('%s tells when the answer began', (_name, attributes, expected) => {
	expect(map({ ...chat, ...attributes }).timeToFirstTokenNs).toBe(expected)
})

test.each<[string, object, object]>([
	[
		'chat completions',
		{
			...{ prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 },
			prompt_tokens_details: { cached_tokens: 600, audio_tokens: 0 },
			completion_tokens_details: { reasoning_tokens: 20 },
		},
		{ inputTokens: 400, cacheReadTokens: 600, outputTokens: 30, reasoningTokens: 20 },
	],
	[
		'responses',
		{ input_tokens: 1000, input_tokens_details: { cached_tokens: 600 }, output_tokens: 50 },
		{ inputTokens: 400, cacheReadTokens: 600, outputTokens: 50 },
	],
])("Langfuse's wrapper of OpenAI passes the usage of %s on as it is", (_name, usage, expected) => {
	const details = { 'langfuse.observation.usage_details': JSON.stringify(usage) }
	expect(map({ 'langfuse.observation.type': 'generation', ...details })).toMatchObject({
		...{ usageSource: 'reported', ...expected },
	})
})

test("OpenLIT for Python passes Anthropic's input on as it is, and says 0 of what it has no price of", () => {
	const openlit = { ...chat, 'telemetry.sdk.name': 'openlit', 'gen_ai.usage.cache_read.input_tokens': 300n }
	const span = map({
		...{ ...openlit, 'gen_ai.provider.name': 'anthropic', 'gen_ai.request.model': 'claude-opus-5' },
		...{ 'gen_ai.usage.cost': 0, 'gen_ai.request.user': 'u' },
	})
	expect(span).toMatchObject({ inputTokens: 1000, cacheReadTokens: 300, userId: 'u', costSource: 'computed' })
	expect(map({ ...openlit, 'gen_ai.provider.name': 'openai' })).toMatchObject({ inputTokens: 700 })
})

test("the AI SDK 7 has Anthropic's cache inside the input, whatever its metadata says", () => {
	const span = map({
		...{ ...chat, 'gen_ai.usage.cache_read.input_tokens': 300n },
		'ai.response.providerMetadata':
			'{"anthropic":{"usage":{"input_tokens":700,"cache_read_input_tokens":300}}}',
	})
	expect(span).toMatchObject({ inputTokens: 700, cacheReadTokens: 300 })
})

test('Mastra says in its metadata whose call it is, and when the answer began', () => {
	const began = new Date(Number(startNs / 1_000_000n) + 250).toISOString()
	const span = map({
		...{ ...chat, 'mastra.completion_start_time': began },
		...{ 'mastra.metadata.sessionId': 's', 'mastra.metadata.userId': 'u' },
	})
	expect(span).toMatchObject({ sessionId: 's', userId: 'u', timeToFirstTokenNs: 250_000_000n })
})

test('the AI SDK 7 says whose call it is in its context', () => {
	const context = { 'ai.settings.context.sessionId': 's', 'ai.settings.context.userId': 'u' }
	expect(map({ ...chat, ...context })).toMatchObject({ sessionId: 's', userId: 'u' })
})

test.each([
	['EMBEDDING', 'embedding.model_name'],
	['RERANKER', 'reranker.model_name'],
])('OpenInference has a name of its own for the model of %s', (kind, key) => {
	const span = map({ 'openinference.span.kind': kind, [key]: 'text-embedding-3-small' })
	expect(span).toMatchObject({ kind: 'model_call', modelRequested: 'text-embedding-3-small' })
})

test("Pydantic AI's thoughts of Gemini are reasoning", () => {
	const span = map({ ...chat, 'gen_ai.usage.details.thoughts_tokens': 20n })
	expect(span).toMatchObject({ outputTokens: 30, reasoningTokens: 20 })
})

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
		'Anthropic, summed up by Logfire',
		{ input_tokens: 600, cache_read_input_tokens: 300, cache_creation_input_tokens: 100, output_tokens: 50 },
		{ inputTokens: 600, cacheReadTokens: 300, cacheWriteTokens: 100, outputTokens: 50 },
	],
	[
		'Anthropic, passed on as it is',
		{ input_tokens: 1000, cache_read_input_tokens: 300, cache_creation_input_tokens: 0, output_tokens: 50 },
		{ inputTokens: 1000, cacheReadTokens: 300, cacheWriteTokens: 0, outputTokens: 50 },
	],
])('Logfire tells the parts of the usage of %s in its own words', (_name, raw, expected) => {
	expect(map({ ...chat, 'gen_ai.usage.raw': JSON.stringify(raw) })).toMatchObject(expected)
})

const asked = {
	'logfire.msg_template': 'Chat Completion with {request_data[model]!r}',
	'gen_ai.operation.name': 'chat',
	'gen_ai.request.model': 'gpt-5.6-sol',
}
test.each<[string, Record<string, AttributeValue>, string]>([
	['the span until a stream begins', asked, 'other'],
	['the span of a request that failed', { ...asked, 'logfire.level_num': 17n }, 'model_call'],
	['the span of a whole answer', { ...asked, 'gen_ai.response.id': 'chatcmpl-1' }, 'model_call'],
	[
		'the log of a stream',
		{
			...asked,
			'logfire.msg_template': 'streaming response from {request_data[model]!r} took {duration:.2f}s',
		},
		'model_call',
	],
])('of a stream that Logfire tells twice, %s is a %s', (_name, attributes, kind) => {
	expect(map(attributes).kind).toBe(kind)
})
