import { expect, test } from 'vitest'
import type { AttributeValue } from '../span-row.ts'
import { map } from './map.testing.ts'
import { mapperVersion } from './map-attributes.ts'

/** 1000 input tokens, of which 600 were cached; 50 output tokens, of which 20 were reasoning. */
const tokens = { inputTokens: 400, cacheReadTokens: 600, outputTokens: 30, reasoningTokens: 20 }
const openAi = { ...tokens, kind: 'model_call', provider: 'openai', usageSource: 'reported' }

test.each<[string, Record<string, AttributeValue>, object]>([
	[
		'openinference',
		{
			'openinference.span.kind': 'LLM',
			'llm.model_name': 'gpt-5.6-sol',
			'llm.provider': 'openai',
			'llm.token_count.prompt': 1000n,
			'llm.token_count.prompt_details.cache_read': 600n,
			'llm.token_count.completion': 50n,
			'llm.token_count.completion_details.reasoning': 20n,
			'session.id': 's',
			'user.id': 'u',
		},
		{ ...openAi, modelRequested: 'gpt-5.6-sol', sessionId: 's', userId: 'u' },
	],
	[
		'langfuse',
		{
			'langfuse.observation.type': 'generation',
			'langfuse.observation.model.name': 'claude-opus-5',
			// Its counts are already exclusive.
			'langfuse.observation.usage_details': JSON.stringify({
				input: 400,
				input_cached_tokens: 600,
				output: 30,
				output_reasoning_tokens: 20,
				total: 1050,
			}),
			'langfuse.session.id': 's',
			'session.id': 'other',
			'langfuse.user.id': 'u',
		},
		{ ...tokens, kind: 'model_call', modelRequested: 'claude-opus-5', sessionId: 's', userId: 'u' },
	],
	[
		'traceloop',
		{
			'llm.request.type': 'chat',
			'gen_ai.system': 'OpenAI',
			'gen_ai.request.model': 'gpt-5.6-sol',
			'gen_ai.usage.input_tokens': 1000n,
			'gen_ai.usage.cache_read_input_tokens': 600n,
			'gen_ai.usage.output_tokens': 50n,
			'gen_ai.usage.reasoning_tokens': 20n,
			'traceloop.association.properties.session_id': 's',
			'traceloop.association.properties.user_id': 'u',
		},
		{ ...openAi, sessionId: 's', userId: 'u' },
	],
	[
		'vercel',
		{
			'ai.operationId': 'ai.streamText.doStream',
			'ai.model.id': 'gpt-5.6-sol',
			'ai.model.provider': 'openai.responses',
			'ai.response.model': 'gpt-5.6-sol-2026-08-01',
			'ai.usage.inputTokens': 1000n,
			'ai.usage.cachedInputTokens': 600n,
			'ai.usage.outputTokens': 50n,
			'ai.usage.reasoningTokens': 20n,
			'ai.response.msToFirstChunk': 12.5,
			'ai.telemetry.metadata.sessionId': 's',
			'ai.telemetry.metadata.userId': 'u',
		},
		{
			...openAi,
			model: 'gpt-5.6-sol-2026-08-01',
			timeToFirstTokenNs: 12_500_000n,
			sessionId: 's',
			userId: 'u',
		},
	],
	[
		'laminar',
		{
			'lmnr.span.type': 'LLM',
			'gen_ai.provider.name': 'openai',
			'gen_ai.request.model': 'gpt-5.6-sol',
			'gen_ai.usage.input_tokens': 1000n,
			'gen_ai.usage.cache_read_input_tokens': 600n,
			'gen_ai.usage.output_tokens': 50n,
			'gen_ai.usage.reasoning_tokens': 20n,
			'lmnr.association.properties.session_id': 's',
		},
		{ ...openAi, sessionId: 's' },
	],
	[
		'posthog',
		{
			$ai_model: 'gpt-5.6-sol',
			$ai_provider: 'openai',
			$ai_input_tokens: 400n,
			$ai_cache_read_input_tokens: 600n,
			$ai_cache_reporting_exclusive: true,
			$ai_output_tokens: 50n,
			$ai_reasoning_tokens: 20n,
			$ai_session_id: 's',
		},
		{ ...openAi, sessionId: 's' },
	],
	[
		'genkit',
		{ 'genkit:metadata:subtype': 'tool', 'gen_ai.tool.name': 'search' },
		{ kind: 'tool_call', toolName: 'search' },
	],
	['mlflow', { 'mlflow.spanType': '"CHAT_MODEL"' }, { kind: 'model_call', usageSource: 'missing' }],
	['langsmith', { 'langsmith.span.kind': 'chain', 'gen_ai.request.model': 'm' }, { kind: 'other' }],
	[
		'agentcat',
		{
			'mcp.event_type': 'mcp:tools/call',
			'mcp.resource_name': 'add',
			'mcp.session_id': 's',
			'mcp.actor_id': 'u',
		},
		{ kind: 'tool_call', mcpMethod: 'tools/call', toolName: 'add', sessionId: 's', userId: 'u' },
	],
	[
		'mlflow',
		{
			'mlflow.spanType': '"CHAT_MODEL"',
			'mlflow.llm.model': '"gpt-5.6-sol"',
			'mlflow.llm.provider': '"openai"',
			'mlflow.chat.tokenUsage':
				'{"input_tokens":1000,"output_tokens":50,"total_tokens":1050,"cache_read_input_tokens":600}',
			'mlflow.trace.session': '"s"',
			'mlflow.trace.user': '"u"',
		},
		{
			...{ ...openAi, outputTokens: 50, reasoningTokens: 0 },
			...{ modelRequested: 'gpt-5.6-sol', sessionId: 's', userId: 'u' },
		},
	],
	[
		'langsmith',
		{
			'langsmith.span.kind': 'llm',
			'langsmith.metadata.ls_provider': 'openai',
			'langsmith.metadata.ls_model_name': 'gpt-5.6-sol',
			'langsmith.metadata.thread_id': 's',
			'gen_ai.usage.input_tokens': 400n,
			'gen_ai.usage.output_tokens': 50n,
		},
		{
			kind: 'model_call',
			provider: 'openai',
			modelRequested: 'gpt-5.6-sol',
			sessionId: 's',
			inputTokens: 400,
		},
	],
	[
		'braintrust',
		{
			'braintrust.span_attributes': '{"type":"llm","name":"chat"}',
			'braintrust.metrics': JSON.stringify({
				...{ prompt_tokens: 1000, completion_tokens: 50, tokens: 1050, time_to_first_token: 0.5 },
				...{ prompt_cached_tokens: 600, completion_reasoning_tokens: 20, prompt_audio_tokens: 5 },
			}),
		},
		{ ...tokens, kind: 'model_call', usageSource: 'reported' },
	],
	[
		'genkit',
		{
			'genkit:metadata:subtype': 'model',
			'genkit:name': 'googleai/gemini-3-pro',
		},
		{ kind: 'model_call', provider: 'gcp.gemini', modelRequested: 'gemini-3-pro' },
	],
	[
		'logfire',
		{
			'logfire.msg': 'chat gpt-5.6-sol',
			'gen_ai.operation.name': 'chat',
			'gen_ai.agent.name': 'planner',
			'gen_ai.system': 'openai',
			'gen_ai.usage.input_tokens': 1000n,
			'gen_ai.usage.output_tokens': 50n,
			'gen_ai.usage.details.cache_read_tokens': 600n,
			'gen_ai.usage.details.reasoning_tokens': 20n,
			'operation.cost': 0.0125,
		},
		{ ...openAi, agentName: 'planner', costNanoUsd: 12_500_000n, costSource: 'reported' },
	],
	[
		'sentry',
		{
			'sentry.op': 'mcp.server',
			'mcp.method.name': 'tools/call',
			'mcp.tool.name': 'add',
			'mcp.server.name': 'calculator',
		},
		{ kind: 'tool_call', toolName: 'add', serverName: 'calculator' },
	],
	['mcp', { 'mcp.method.name': 'tools/list' }, { kind: 'mcp', mcpMethod: 'tools/list' }],
	[
		'gen_ai',
		{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'x_ai' },
		{ kind: 'model_call', provider: 'x_ai' },
	],
	[
		'gen_ai_1_36',
		{ 'gen_ai.system': 'az.ai.inference', 'gen_ai.request.model': 'm' },
		{ kind: 'model_call' },
	],
	['', { 'http.route': '/' }, { kind: 'other' }],
])('%s is mapped correctly', (dialect, attributes, expected) => {
	expect(map(attributes)).toMatchObject({ ...expected, dialect, mapperVersion })
})

/** As netra-sdk 1.2.2 sends them, of two calls of OpenAI's client 3 and a function with the decorator `task`. */
test('calls and tools of Netra have a session, a user, an agent, and the figures of its own names', () => {
	const shared = {
		...{ 'netra.session_id': 'ne-s', 'netra.user_id': 'ne-u', 'netra.tenant_id': 'ne-t' },
		...{ 'netra.agent.name': 'run', 'library.name': 'netra', 'sdk.name': 'netra' },
	}
	const who = { sessionId: 'ne-s', userId: 'ne-u', agentName: 'run', dialect: 'netra' }
	for (const request of ['chat', 'response']) {
		const span = map({
			...{ ...shared, 'netra.instrumentation.name': 'openai', 'llm.request.type': request },
			...{ 'gen_ai.request.model': 'gpt-4o', 'gen_ai.response.model': 'gpt-4o-2024-08-06' },
			...{ 'gen_ai.usage.prompt_tokens': 120n, 'gen_ai.usage.completion_tokens': 30n },
			...{ 'gen_ai.usage.cache_read_input_tokens': 64n, 'llm.usage.reasoning_tokens': 10n },
			'gen_ai.performance.time_to_first_token': '0.016626834869384766',
		})
		expect(span).toMatchObject({
			...{ ...who, kind: 'model_call', provider: 'openai', costSource: 'computed' },
			...{ inputTokens: 56, cacheReadTokens: 64, outputTokens: 20, reasoningTokens: 10 },
			timeToFirstTokenNs: 16_626_835n,
		})
	}
	const named = (type: string, name: string) => map({ ...shared, 'netra.span.type': type }, {}, { name })
	expect(named('TOOL', 'step')).toMatchObject({ ...who, kind: 'tool_call', toolName: 'step' })
	expect(named('AGENT', 'run')).toMatchObject({ ...who, kind: 'other' })
})

/** As keywordsai-tracing 0.0.58 sends them; its successor, respan-tracing 2.24, has the same names with its own prefix. */
test.each(['keywordsai', 'respan'])(
	'the thread and the customer of %s are the session and the user',
	(own) => {
		const span = map({
			...{
				'traceloop.workflow.name': 'wf',
				'traceloop.span.kind': 'workflow',
				'traceloop.entity.name': 'wf',
			},
			...{
				[`${own}.customer_params.customer_identifier`]: 'kw-u',
				[`${own}.threads.thread_identifier`]: 'kw-t',
			},
			...{ [`${own}.metadata.m`]: '1', [`${own}.entity.log_method`]: 'python_tracing' },
		})
		expect(span).toMatchObject({ kind: 'other', dialect: 'traceloop', sessionId: 'kw-t', userId: 'kw-u' })
	},
)

/** As langtrace-python-sdk 3.8.21 sends them for OpenAI's client 3. */
test.each([
	['openai.responses.create', 'gpt-4o', 120n, 30n],
	['embed', 'text-embedding-3-small', 5n, 0n],
])('%s of Langtrace is a call', (operation, model, input, output) => {
	const span = map({
		...{ 'langtrace.service.name': 'OpenAI', 'langtrace.sdk.name': 'langtrace-python-sdk' },
		...{ 'gen_ai.system': 'openai', 'gen_ai.operation.name': operation, 'gen_ai.request.model': model },
		...{ 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output },
	})
	const expected = { kind: 'model_call', inputTokens: Number(input), outputTokens: Number(output) }
	expect(span).toMatchObject({ ...expected, costSource: 'computed' })
})

test('openlit is recognised by its resource', () => {
	expect(map({ 'gen_ai.operation.name': 'chat' }, { 'telemetry.sdk.name': 'openlit' }).dialect).toBe(
		'openlit',
	)
})

test.each<[string, Record<string, AttributeValue>]>([
	['an agent of openinference', { 'openinference.span.kind': 'AGENT', 'llm.token_count.prompt': 10n }],
	['a workflow of traceloop', { 'traceloop.span.kind': 'workflow', 'gen_ai.usage.input_tokens': 10n }],
	[
		'the outer call of the AI SDK',
		{ 'ai.operationId': 'ai.generateText', 'ai.model.id': 'm', 'ai.usage.inputTokens': 10n },
	],
	[
		'an agent of langfuse',
		{ 'langfuse.observation.type': 'agent', 'langfuse.observation.usage_details': '{"input":10}' },
	],
	['invoke_agent', { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.usage.input_tokens': 10n }],
])('%s repeats the sums of its children, and is not counted again', (_name, attributes) => {
	expect(map(attributes)).toMatchObject({ kind: 'other', inputTokens: 0, usageSource: '', costNanoUsd: null })
})

test('tokens without a cost are priced, and the ledger shows how', () => {
	const span = map({
		'gen_ai.operation.name': 'chat',
		'gen_ai.provider.name': 'openai',
		'gen_ai.response.model': 'gpt-5.6-sol',
		'gen_ai.usage.input_tokens': 1000n,
		'gen_ai.usage.output_tokens': 100n,
	})
	expect(span).toMatchObject({ costNanoUsd: 6_000_000n, costSource: 'computed' })
	expect(span.ledger.map(({ dimension, costNanoUsd }) => [dimension, costNanoUsd])).toEqual([
		['in_text', 4_000_000n],
		['out_text', 2_000_000n],
	])
})

test.each<[Record<string, AttributeValue>]>([
	[{ 'gen_ai.usage.cost': 0.0125 }],
	[{ 'llm.cost.total': '0.0125' }],
	[{ 'langfuse.observation.cost_details': '{"input":0.01,"total":0.0125}' }],
	[{ $ai_total_cost_usd: 0.0125 }],
])("the sender's cost takes precedence over ours: %o", (attributes) => {
	const span = map({
		'gen_ai.operation.name': 'chat',
		'gen_ai.provider.name': 'openai',
		'gen_ai.request.model': 'gpt-5.6-sol',
		'gen_ai.usage.input_tokens': 1000n,
		...attributes,
		// Attributes of Langfuse or PostHog would determine another kind.
		'langfuse.observation.type': 'generation',
	})
	expect(span).toMatchObject({ costNanoUsd: 12_500_000n, costSource: 'reported' })
})

test.each<[Record<string, AttributeValue>]>([
	[{ 'gen_ai.usage.cost': -1 }],
	[{ 'gen_ai.usage.cost': Number.NaN }],
	[{ 'gen_ai.usage.cost': 'free' }],
	[{ 'langfuse.observation.cost_details': 'no json' }],
])('an invalid cost is ignored: %o', (attributes) => {
	const span = map({ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'nobody-knows', ...attributes })
	expect(span).toMatchObject({ costNanoUsd: null, costSource: '' })
})
