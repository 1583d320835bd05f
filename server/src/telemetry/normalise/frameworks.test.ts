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
		'OpenAI._prepare_chat_with_tools',
		'StructuredLLM.complete',
		'StructuredLLM.astream_chat',
		'OpenAIEmbedding._get_query_embedding',
		'OpenAIEmbedding._aget_text_embeddings',
	],
])('%s of LlamaIndex is a step of a call that has its own span', (name) => {
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

test('old versions of ADK report themselves as the provider', () => {
	const span = map({ 'gen_ai.system': 'gcp.vertex.agent', 'gen_ai.request.model': 'gemini-2.5-pro' })
	expect(span).toMatchObject({ kind: 'model_call', provider: 'gcp.vertex.agent' })
})

test.each<[string, Record<string, AttributeValue>, bigint]>([
	['Strands, in milliseconds', { 'gen_ai.server.time_to_first_token': 166n }, 166_000_000n],
	['OpenLIT, in seconds', { 'gen_ai.server.time_to_first_token': 0.25 }, 250_000_000n],
	['the AI SDK 7', { 'gen_ai.client.operation.time_to_first_chunk': 0.25 }, 250_000_000n],
])('%s reports when the answer began', (_name, attributes, expected) => {
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
])("Langfuse's wrapper of OpenAI forwards the usage of %s unchanged", (_name, usage, expected) => {
	const details = { 'langfuse.observation.usage_details': JSON.stringify(usage) }
	expect(map({ 'langfuse.observation.type': 'generation', ...details })).toMatchObject({
		...{ usageSource: 'reported', ...expected },
	})
})

test("OpenLIT for Python forwards Anthropic's input count unchanged, and reports a cost of 0 for a model without a price", () => {
	const openlit = { ...chat, 'telemetry.sdk.name': 'openlit', 'gen_ai.usage.cache_read.input_tokens': 300n }
	const span = map({
		...{ ...openlit, 'gen_ai.provider.name': 'anthropic', 'gen_ai.request.model': 'claude-opus-5' },
		...{ 'gen_ai.usage.cost': 0, 'gen_ai.request.user': 'u' },
	})
	expect(span).toMatchObject({ inputTokens: 1000, cacheReadTokens: 300, userId: 'u', costSource: 'computed' })
	expect(map({ ...openlit, 'gen_ai.provider.name': 'openai' })).toMatchObject({ inputTokens: 700 })
})

test("the AI SDK 7 includes Anthropic's cache tokens in the input, whatever its metadata says", () => {
	const span = map({
		...{ ...chat, 'gen_ai.usage.cache_read.input_tokens': 300n },
		'ai.response.providerMetadata':
			'{"anthropic":{"usage":{"input_tokens":700,"cache_read_input_tokens":300}}}',
	})
	expect(span).toMatchObject({ inputTokens: 700, cacheReadTokens: 300 })
})

test('Mastra reports session and user in its metadata, and when the answer began', () => {
	const began = new Date(Number(startNs / 1_000_000n) + 250).toISOString()
	const span = map({
		...{ ...chat, 'mastra.completion_start_time': began },
		...{ 'mastra.metadata.sessionId': 's', 'mastra.metadata.userId': 'u' },
	})
	expect(span).toMatchObject({ sessionId: 's', userId: 'u', timeToFirstTokenNs: 250_000_000n })
})

test('the AI SDK 7 reports session and user in its context', () => {
	const context = { 'ai.settings.context.sessionId': 's', 'ai.settings.context.userId': 'u' }
	expect(map({ ...chat, ...context })).toMatchObject({ sessionId: 's', userId: 'u' })
})

test.each([
	['EMBEDDING', 'embedding.model_name'],
	['RERANKER', 'reranker.model_name'],
])('OpenInference has its own attribute for the model of %s', (kind, key) => {
	const span = map({ 'openinference.span.kind': kind, [key]: 'text-embedding-3-small' })
	expect(span).toMatchObject({ kind: 'model_call', modelRequested: 'text-embedding-3-small' })
})

test('Pydantic AI reports a cost of 0 for a stream that was cancelled before its usage came', () => {
	const named = { 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt-5.6-sol' }
	const cancelled = { 'gen_ai.operation.name': 'chat', ...named, 'operation.cost': 0 }
	expect(map(cancelled)).toMatchObject({
		...{ usageSource: 'missing', costNanoUsd: null, costSource: '' },
	})
	expect(map({ ...chat, ...cancelled })).toMatchObject({ costNanoUsd: 0n, costSource: 'reported' })
})

test.each([
	['Gemini', 'thoughts_tokens'],
	['Claude', 'thinking_tokens'],
])("Pydantic AI's thoughts of %s are reasoning tokens", (_model, name) => {
	const span = map({ ...chat, [`gen_ai.usage.details.${name}`]: 20n })
	expect(span).toMatchObject({ outputTokens: 30, reasoningTokens: 20 })
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
])('of a stream that Logfire reports twice, %s is a %s', (_name, attributes, kind) => {
	expect(map(attributes).kind).toBe(kind)
})

const litellmCall = {
	...{ 'gen_ai.system': '', 'litellm.provider.model': 'openai/gpt-5.6-sol' },
	...{ 'gen_ai.request.model': 'gpt-5.6-sol', 'gen_ai.usage.input_tokens': 1000n },
}
test.each([
	...['completion', 'acompletion', 'embedding', 'aembedding', 'responses', 'aresponses'],
	...['anthropic_messages', 'agenerate_content_stream', 'arerank', 'atext_completion', 'aimage_generation'],
])("LiteLLM names a model %s; the provider may be only the prefix of the model's name", (operation) => {
	const span = { 'llm.request.type': operation, 'gen_ai.operation.name': operation }
	expect(map({ ...litellmCall, ...span })).toMatchObject({
		...{ kind: 'model_call', provider: 'openai', inputTokens: 1000 },
	})
})

test("LiteLLM's pass-through requests are model calls if they have tokens, and otherwise not", () => {
	const passed = { 'llm.request.type': 'pass_through_endpoint', 'gen_ai.request.model': 'claude-opus-5' }
	expect(map({ ...litellmCall, ...passed })).toMatchObject({ kind: 'model_call' })
	expect(map(passed)).toMatchObject({ kind: 'other' })
	expect(map({ ...litellmCall, 'llm.request.type': 'acreate_file' })).toMatchObject({ kind: 'other' })
	const unnamed = { 'litellm.provider.model': 'claude-opus-5', 'gen_ai.request.model': 'claude-opus-5' }
	expect(map({ ...unnamed, 'llm.request.type': 'anthropic_messages' }).provider).toBe('anthropic')
})

test.each<[string, Record<string, AttributeValue>, string]>([
	...['chat.completions', 'chat.streaming_completions', 'text_completions'].map(
		(word): [string, Record<string, AttributeValue>, string] => [
			`Semantic Kernel, ${word}`,
			{ 'gen_ai.operation.name': word },
			'model_call',
		],
	),
	['the Gemini client', { 'gen_ai.operation.name': 'interactions.create' }, 'model_call'],
	["OpenAI's agents", { 'gen_ai.operation.name': 'speech_generation' }, 'model_call'],
	['Spring AI, embeddings', { 'gen_ai.operation.name': 'embedding' }, 'model_call'],
	['Spring AI, pictures', { 'gen_ai.operation.name': 'image' }, 'model_call'],
	['a step around them', { 'gen_ai.operation.name': 'framework', 'spring.ai.kind': 'chat_client' }, 'other'],
	['what nobody knows', { 'gen_ai.operation.name': 'think' }, 'other'],
])('the operations of %s', (_name, attributes, kind) => {
	expect(map({ ...attributes, 'gen_ai.request.model': 'm' })).toMatchObject({ kind })
})

test('Spring AI 1 has its own attributes for tools, and Micrometer\'s "none" stands for an unknown model', () => {
	const tool = {
		'gen_ai.operation.name': 'framework',
		'gen_ai.system': 'spring_ai',
		'spring.ai.kind': 'tool_call',
	}
	expect(map({ ...tool, 'spring.ai.tool.definition.name': 'weather' })).toMatchObject({
		...{ kind: 'tool_call', toolName: 'weather' },
	})
	const failed = { ...chat, 'gen_ai.request.model': 'gpt-5.6-sol', 'gen_ai.response.model': 'none' }
	expect(map(failed)).toMatchObject({ modelRequested: 'gpt-5.6-sol', model: '' })
})

test.each(['gen_ai.span.kind', 'fi.span.kind', 'langwatch.span.type', 'confident.span.type'])(
	'%s determines the kind of a span that has no operation',
	(key) => {
		const figures = { 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 10n }
		expect(map({ ...figures, [key]: 'LLM' })).toMatchObject({ kind: 'model_call', inputTokens: 10 })
		expect(map({ ...figures, [key]: 'AGENT' })).toMatchObject({ kind: 'other', inputTokens: 0 })
		expect(map({ [key]: 'tool' }, {}, { name: 'weather' })).toMatchObject({
			...{ kind: 'tool_call', toolName: 'weather' },
		})
		expect(map({ ...chat, [key]: 'span' })).toMatchObject({ kind: 'model_call' })
		// The outer span of the AI SDK, which LangWatch marks as a call.
		expect(map({ 'ai.operationId': 'ai.generateText', [key]: 'llm' })).toMatchObject({ kind: 'other' })
	},
)

test("traceAI's attribute of the requested model has the one that answered; the requested one is in the parameters", () => {
	const span = { 'gen_ai.span.kind': 'LLM', 'gen_ai.request.parameters': '{"model":"gpt-5"}' }
	expect(map({ ...span, 'gen_ai.request.model': 'gpt-5-2026-10-01' })).toMatchObject({
		...{ modelRequested: 'gpt-5', model: 'gpt-5-2026-10-01' },
	})
	expect(map(span)).toMatchObject({ modelRequested: 'gpt-5', model: '' })
})

test("instrumentations of the AWS SDK forward Bedrock's input count, which excludes cached tokens", () => {
	const span = { ...chat, 'gen_ai.system': 'aws.bedrock', 'gen_ai.usage.cache_read.input_tokens': 300n }
	for (const mark of [{ 'rpc.system': 'aws-api' }, { 'gen_ai.prompt_caching': 'read' }])
		expect(map({ ...span, ...mark })).toMatchObject({ inputTokens: 1000, cacheReadTokens: 300 })
	const scope = 'opentelemetry.instrumentation.genai.bedrock'
	expect(map(span, {}, { scope })).toMatchObject({ inputTokens: 1000, cacheReadTokens: 300 })
	expect(map(span)).toMatchObject({ inputTokens: 700 })
})

test("Sentry's names for token details are prefixed with those of the sums", () => {
	const span = map({
		...{ ...chat, 'gen_ai.usage.input_tokens.cached': 500n, 'gen_ai.usage.input_tokens.cache_write': 100n },
		...{ 'gen_ai.usage.output_tokens.reasoning': 20n, 'gen_ai.response.time_to_first_token': 0.25 },
	})
	expect(span).toMatchObject({
		...{ inputTokens: 400, cacheReadTokens: 500, cacheWriteTokens: 100, outputTokens: 30 },
		...{ reasoningTokens: 20, timeToFirstTokenNs: 250_000_000n },
	})
})

test.each([
	['az.ai.inference', 'azure.ai.inference'],
	['azure_ai', 'azure.ai.inference'],
	['az.ai.agents', 'azure.ai.agents'],
	['azure', 'azure'],
	['azure_openai', 'azure.ai.openai'],
	// The AI SDK.
	['azure.responses', 'azure.ai.openai'],
	['azure.deepseek', 'azure.ai.inference'],
	['cohere.textEmbedding', 'cohere'],
	['bedrock.anthropic.messages', 'aws.bedrock'],
	['vertex.anthropic.messages', 'gcp.vertex_ai'],
	['lmstudio.chat', 'lmstudio'],
	['house.llm.chat', 'house.llm.chat'],
	// LangChain, OpenInference, LiteLLM, Agno and LiveKit.
	['amazon_bedrock', 'aws.bedrock'],
	['aws', 'aws.bedrock'],
	['together_ai', 'together'],
	['fireworks_ai', 'fireworks'],
	['Groq', 'groq'],
	['ollama_chat', 'ollama'],
	['api.cerebras.ai', 'cerebras'],
	['House', 'House'],
])('the provider %s is %s', (given, provider) => {
	for (let i = 0; i < 2; i++) expect(map({ ...chat, 'gen_ai.system': given }).provider).toBe(provider)
})

test('LangWatch reports tokens, cost, session and user under names of its own', () => {
	const metrics = { promptTokens: 1000, completionTokens: 50, cost: 0.0123 }
	const span = {
		...{ 'langwatch.span.type': 'llm', 'gen_ai.request.model': 'gpt-5' },
		...{ 'langwatch.thread.id': 's', 'langwatch.user.id': 'u' },
	}
	const found = map({ ...span, 'langwatch.metrics': JSON.stringify({ type: 'json', value: metrics }) })
	expect(found).toMatchObject({
		...{ kind: 'model_call', dialect: 'langwatch', sessionId: 's', userId: 'u' },
		...{ inputTokens: 1000, outputTokens: 50, costNanoUsd: 12_300_000n, costSource: 'reported' },
	})
	const parts = {
		prompt_tokens: 1000,
		completion_tokens: 50,
		cache_read_input_tokens: 600,
		reasoning_tokens: 20,
	}
	expect(map({ ...span, 'langwatch.metrics': JSON.stringify({ type: 'json', value: parts }) })).toMatchObject(
		{
			...{
				inputTokens: 400,
				cacheReadTokens: 600,
				outputTokens: 30,
				reasoningTokens: 20,
				costSource: 'computed',
			},
		},
	)
})

const openAiUsage = {
	...{ prompt_tokens: 1000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 600 } },
	completion_tokens_details: { reasoning_tokens: 20 },
}
const cached = { inputTokens: 400, cacheReadTokens: 600, outputTokens: 30, reasoningTokens: 20 }
test.each<[string, object, object]>([
	['OpenAI', { inputTokens: 1000, outputTokens: 50, totalTokens: 1050 }, { raw: { usage: openAiUsage } }],
	[
		'Gemini, whose thoughts are beside the output',
		{ inputTokens: 1000, outputTokens: 30, thoughtsTokens: 20, cachedContentTokens: 600, totalTokens: 1050 },
		{ custom: {} },
	],
])('Genkit reports the usage of %s in its answer', (_name, usage, more) => {
	const span = { 'genkit:metadata:subtype': 'model', 'genkit:name': 'openai/gpt-5' }
	expect(map({ ...span, 'genkit:output': JSON.stringify({ usage, ...more }) })).toMatchObject({
		...{ ...cached, usageSource: 'reported' },
	})
	expect(map({ ...span, 'genkit:output': '{"message":' })).toMatchObject({ usageSource: 'missing' })
	const embedder = { 'genkit:metadata:subtype': 'embedder', 'genkit:name': 'openai/text-embedding-3-small' }
	expect(map(embedder)).toMatchObject({ kind: 'model_call', modelRequested: 'text-embedding-3-small' })
})

test("LangSmith reports token details in its metadata, under LangChain's names", () => {
	const usage = {
		...{ input_tokens: 1000, output_tokens: 50, total_tokens: 1050 },
		input_token_details: { cache_read: 500, cache_creation: 100 },
		output_token_details: { reasoning: 20 },
	}
	const span = {
		...chat,
		'langsmith.span.kind': 'llm',
		'langsmith.metadata.usage_metadata': JSON.stringify(usage),
	}
	expect(map(span)).toMatchObject({ ...cached, cacheReadTokens: 500, cacheWriteTokens: 100 })
})

test.each([
	'azure.ai.openai',
	'azure.ai.inference',
	'azure.ai.agents',
	'microsoft.foundry',
	'az.ai.inference',
])("models that %s serves have Azure's prices", (provider) => {
	const span = map({ ...chat, 'gen_ai.provider.name': provider, 'gen_ai.request.model': 'gpt-4o' })
	expect(span).toMatchObject({ costSource: 'computed' })
})

test("Genkit's agents have a name and a session, and its tools of both kinds are tool calls", () => {
	const agent = { 'genkit:metadata:subtype': 'agent', 'genkit:name': 'helper' }
	const session = { 'genkit:metadata:agent:sessionId': '0b11f042-d114-46cf-a2f3-f1963e8623e6' }
	const expected = { agentName: 'helper', sessionId: '0b11f042-d114-46cf-a2f3-f1963e8623e6', toolName: '' }
	expect(map({ ...agent, ...session })).toMatchObject({ kind: 'other', ...expected })
	for (const subtype of ['tool', 'tool.v2']) {
		const tool = { 'genkit:metadata:subtype': subtype, 'genkit:name': 'weather' }
		expect(map(tool)).toMatchObject({ kind: 'tool_call', toolName: 'weather', agentName: '' })
	}
})
