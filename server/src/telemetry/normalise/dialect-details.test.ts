import { expect, test } from 'vitest'
import type { AttributeValue } from '../span-row.ts'
import { map, startNs } from './map.testing.ts'

const ofVercel = {
	'ai.operationId': 'ai.generateText.doGenerate',
	'ai.model.id': 'claude-opus-5',
	'ai.usage.outputTokens': 50n,
	'ai.usage.reasoningTokens': 20n,
}
const anthropic = { inputTokens: 400, cacheReadTokens: 300, cacheWriteTokens: 200 }

test.each<[string, Record<string, AttributeValue>, object]>([
	[
		'6, which says the whole and what was not cached',
		{
			'ai.usage.inputTokens': 900n,
			'ai.usage.inputTokenDetails.noCacheTokens': 400n,
			'ai.usage.inputTokenDetails.cacheReadTokens': 300n,
			'ai.usage.inputTokenDetails.cacheWriteTokens': 200n,
			'ai.response.providerMetadata': '{"anthropic":{"cacheCreationInputTokens":200}}',
		},
		anthropic,
	],
	[
		"5, which passes Anthropic's input on without what was cached",
		{
			'ai.usage.inputTokens': 400n,
			'ai.usage.cachedInputTokens': 300n,
			'ai.response.providerMetadata':
				'{"anthropic":{"usage":{"input_tokens":400,"cache_creation_input_tokens":200,"cache_read_input_tokens":300}}}',
		},
		anthropic,
	],
	[
		'4, which tells of the cache in the metadata alone',
		{
			'ai.usage.promptTokens': 400n,
			'ai.response.providerMetadata':
				'{"anthropic":{"cacheCreationInputTokens":200,"cacheReadInputTokens":300}}',
		},
		anthropic,
	],
	[
		'5 over Bedrock',
		{
			'ai.usage.inputTokens': 400n,
			'ai.response.providerMetadata':
				'{"bedrock":{"usage":{"cacheReadInputTokens":300,"cacheWriteInputTokens":200}}}',
		},
		anthropic,
	],
	[
		'4 with OpenAI, whose input is the whole',
		{
			'ai.usage.promptTokens': 700n,
			'ai.response.providerMetadata': '{"openai":{"cachedPromptTokens":300,"reasoningTokens":20}}',
		},
		{ ...anthropic, cacheWriteTokens: 0 },
	],
	['5 with metadata that is none', { 'ai.usage.inputTokens': 400n, 'ai.response.providerMetadata': '[' }, {}],
])("the AI SDK's version %s reports exclusive counts", (_version, attributes, expected) => {
	expect(map({ ...ofVercel, ...attributes })).toMatchObject({
		...{ inputTokens: 400, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 30, reasoningTokens: 20 },
		...expected,
	})
})

test('OpenLIT has token details under names of its own', () => {
	const span = map({
		'gen_ai.operation.name': 'chat',
		'gen_ai.usage.input_tokens': 1000n,
		'gen_ai.usage.output_tokens': 50n,
		'gen_ai.usage.prompt_tokens_details.cache_read': 500n,
		'gen_ai.usage.prompt_tokens_details.cache_write': 100n,
		'gen_ai.usage.completion_tokens_details.reasoning': 20n,
	})
	expect(span).toMatchObject({
		...{
			inputTokens: 400,
			cacheReadTokens: 500,
			cacheWriteTokens: 100,
			outputTokens: 30,
			reasoningTokens: 20,
		},
	})
})

test.each<[string, Record<string, AttributeValue>, string, string]>([
	['langfuse', { 'langfuse.observation.type': 'tool' }, 'search', 'search'],
	['openinference', { 'openinference.span.kind': 'TOOL' }, 'search', 'search'],
	['openinference', { 'openinference.span.kind': 'TOOL', 'tool.name': 'find' }, 'a step', 'find'],
	['laminar', { 'lmnr.span.type': 'TOOL' }, 'search', 'search'],
	['mlflow', { 'mlflow.spanType': '"TOOL"' }, 'search', 'search'],
	['genkit', { 'genkit:metadata:subtype': 'tool', 'genkit:name': 'search' }, 'x', 'search'],
	['gen_ai', { 'gen_ai.operation.name': 'execute_tool' }, 'execute_tool search', 'search'],
	['mcp', { 'mcp.method.name': 'tools/call' }, 'tools/call search', 'search'],
	['mcp', { 'mcp.method.name': 'tools/call' }, 'something else', ''],
])('a tool of %s (%o) in a span called "%s" is %s', (dialect, attributes, name, toolName) => {
	expect(map(attributes, {}, { name })).toMatchObject({ kind: 'tool_call', dialect, toolName })
})

test('the agent is taken from the span, otherwise from its resource', () => {
	const resource = { 'gen_ai.agent.name': 'of the resource' }
	expect(map({ 'openinference.span.kind': 'LLM', 'agent.name': 'planner' }, resource).agentName).toBe(
		'planner',
	)
	expect(map({ 'openinference.span.kind': 'LLM' }, resource)).toMatchObject({
		...{ agentName: 'of the resource', agentId: '', serverName: '' },
	})
})

test.each<[string, Record<string, AttributeValue>, number, string]>([
	['a client of MCP', { 'mcp.method.name': 'tools/list' }, 3, 'my-app/2'],
	['whoever calls a model', { 'gen_ai.operation.name': 'chat' }, 1, 'my-app/2'],
	['a client that is named', { 'mcp.method.name': 'tools/call', 'mcp.client.name': 'cli' }, 3, 'cli'],
	['a server of MCP', { 'mcp.method.name': 'tools/list' }, 2, ''],
	['a server of a model', { 'gen_ai.operation.name': 'chat' }, 2, ''],
	['a step inside', { 'gen_ai.operation.name': 'execute_tool' }, 1, ''],
	['a client of anything else', { 'http.route': '/' }, 3, ''],
])('the client of %s (%o, kind %d) is "%s"', (_who, attributes, otlpKind, client) => {
	const resource = { 'service.name': 'my-app', 'service.version': '2' }
	expect(map(attributes, resource, { otlpKind }).client).toBe(client)
	expect(map({ 'gen_ai.operation.name': 'chat' }, { 'service.name': 'unknown_service:node' }).client).toBe('')
})

test('Langfuse reports the beginning of the answer as a date', () => {
	const began = (at: string) =>
		map({
			'langfuse.observation.type': 'generation',
			'langfuse.observation.completion_start_time': at,
		}).timeToFirstTokenNs
	const at = new Date(Number(startNs / 1_000_000n) + 250).toISOString()
	expect(began(JSON.stringify(at))).toBe(250_000_000n)
	expect(began(at)).toBe(250_000_000n)
	expect(began('"soon"')).toBe(null)
	expect(began('"2001-01-01T00:00:00Z"')).toBe(null)
})

test("the AI SDK counts an embedding's tokens under a name of its own", () => {
	const span = map({
		'ai.operationId': 'ai.embed.doEmbed',
		'ai.model.id': 'text-embedding-3-small',
		'ai.usage.tokens': 7n,
	})
	expect(span).toMatchObject({ kind: 'model_call', inputTokens: 7, usageSource: 'reported' })
})

const litellm = {
	...{ 'gen_ai.operation.name': 'chat', 'gen_ai.system': 'openai', 'gen_ai.request.model': 'gpt-5' },
	...{ 'gen_ai.usage.input_tokens': 1000n, 'gen_ai.usage.output_tokens': 50n },
}
test.each([
	`{'completion_tokens': 50, 'prompt_tokens': 1000, 'completion_tokens_details': {'reasoning_tokens': 20, 'audio_tokens': None}, 'prompt_tokens_details': {'cached_tokens': 600}}`,
	'{"prompt_tokens":1000,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":600},"completion_tokens_details":{"reasoning_tokens":20}}',
])('LiteLLM reports token details and the cost in its metadata: %s', (usage) => {
	const span = map({ ...litellm, 'metadata.usage_object': usage, 'gen_ai.cost.total_cost': 0.0123 })
	expect(span).toMatchObject({
		...{ inputTokens: 400, cacheReadTokens: 600, outputTokens: 30, reasoningTokens: 20 },
		...{ costNanoUsd: 12_300_000n, costSource: 'reported' },
	})
})

test('LiteLLM reports a cost of 0 for a model without a price, and its usage may be in the metadata only', () => {
	expect(map({ ...litellm, 'gen_ai.cost.total_cost': 0 })).toMatchObject({ costSource: 'computed' })
	const reported = {
		'gen_ai.request.model': 'house',
		'metadata.usage_object': "{'prompt_tokens': 36, 'completion_tokens': 48}",
	}
	expect(map(reported)).toMatchObject({ inputTokens: 36, outputTokens: 48, usageSource: 'reported' })
})

const generation = { 'langfuse.observation.type': 'generation', 'langfuse.observation.model.name': 'gpt-5' }
test('Langfuse may report only parts of a cost, and never the provider', () => {
	const costs = { 'langfuse.observation.cost_details': '{"input":0.001,"output":0.002}' }
	expect(map({ ...generation, ...costs })).toMatchObject({
		...{ costNanoUsd: 3_000_000n, costSource: 'reported', provider: 'openai', model: 'gpt-5' },
	})
	expect(map({ ...generation, 'langfuse.observation.model.name': 'house' }).provider).toBe('')
	const named = { 'langfuse.observation.metadata.ls_provider': 'azure' }
	expect(map({ ...generation, ...named }).provider).toBe('azure')
})

test.each([
	[
		'OpenInference',
		{
			...{ 'openinference.span.kind': 'LLM', 'llm.model_name': 'gpt-5-2026-10-01' },
			'llm.invocation_parameters': '{"model":"gpt-5","temperature":1}',
		},
		{ model: 'gpt-5-2026-10-01', modelRequested: 'gpt-5' },
	],
	['PostHog', { $ai_model: 'gpt-5-2026-10-01' }, { model: 'gpt-5-2026-10-01' }],
	[
		'LiteLLM, in what it sends to Langfuse and Phoenix,',
		{
			'langfuse.observation.type': 'generation',
			'llm.model_name': 'gpt-5',
			'llm.response.model': 'gpt-5-2026-10-01',
		},
		{ model: 'gpt-5-2026-10-01', modelRequested: 'gpt-5' },
	],
])('%s reports which model answered', (_name, attributes, expected) => {
	expect(map(attributes)).toMatchObject(expected)
})

test("OpenInference for LangChain.js names the provider in LangChain's metadata alone", () => {
	const span = { 'openinference.span.kind': 'LLM', 'llm.model_name': 'gpt-5' }
	const providerOf = (metadata: string, more = {}) => map({ ...span, metadata, ...more }).provider
	expect(providerOf('{"ls_provider":"google_genai","ls_model_name":"gemini-3"}')).toBe('gcp.gemini')
	expect(providerOf('{"ls_provider":"openai"}', { 'llm.provider': 'azure' })).toBe('azure')
	for (const metadata of ['{"ls_provider":5}', '{}', 'none', '[]']) expect(providerOf(metadata)).toBe('')
	expect(map({ 'gen_ai.operation.name': 'chat', metadata: '{"ls_provider":"openai"}' }).provider).toBe('')
})

test("OpenInference passes Agno's counts on, in which Anthropic's input is without what was cached", () => {
	const span = {
		...{ 'openinference.span.kind': 'LLM', 'llm.token_count.prompt': 700n },
		...{ 'llm.token_count.completion': 50n, 'llm.token_count.prompt_details.cache_read': 300n },
	}
	const inputOf = (provider: string, model: string, scope = 'openinference.instrumentation.agno') =>
		map({ ...span, 'llm.provider': provider, 'llm.model_name': model }, {}, { scope }).inputTokens
	expect(inputOf('Anthropic', 'claude-opus-5')).toBe(700)
	expect(inputOf('VertexAI', 'claude-opus-5')).toBe(700)
	expect(inputOf('AwsBedrock', 'amazon.nova-pro-v1:0')).toBe(700)
	expect(inputOf('OpenAI', 'gpt-5.6-sol')).toBe(400)
	expect(inputOf('Anthropic', 'claude-opus-5', 'openinference.instrumentation.anthropic')).toBe(400)
})

test.each([
	['api.openai.com', 'openai'],
	['eu.api.openai.com', 'openai'],
	['api.anthropic.com', 'anthropic'],
	['house.openai.azure.com', 'azure.ai.openai'],
	['generativelanguage.googleapis.com', 'gcp.gemini'],
	['api.openai.community', 'api.openai.community'],
])('LiveKit names the host that it asks: %s is %s', (host, provider) => {
	expect(map({ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': host })).toMatchObject({ provider })
})

test('a tool of an MCP server goes by its own name, also where Mastra puts the server before it', () => {
	const span = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'docs_search_all' }
	const server = { 'mastra.mcp_tool_call.server_name': 'docs' }
	expect(map({ ...span, ...server })).toMatchObject({ toolName: 'search_all', serverName: 'docs' })
	expect(map(span)).toMatchObject({ toolName: 'docs_search_all', serverName: '' })
})

test('a call whose answer ended in an error has failed, whatever its status says', () => {
	const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-5.6-sol' }
	const statusOf = (reasons: AttributeValue, operation = 'chat') =>
		map(
			{ ...call, 'gen_ai.operation.name': operation, 'gen_ai.response.finish_reasons': reasons },
			{},
			{ status: 'ok' },
		).status
	expect(statusOf(['error'])).toBe('error')
	expect(statusOf('["error"]')).toBe('error')
	expect(statusOf(['stop'])).toBe('ok')
	expect(statusOf(['error', 'stop'])).toBe('ok')
	expect(statusOf(['error'], 'invoke_agent')).toBe('ok')
})

test('the finish reason of an instrumentation that sets the status itself is no error', () => {
	const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.response.finish_reasons': ['error'] }
	const scope = 'opentelemetry.instrumentation.genai.langchain'
	expect(map(call, {}, { scope, status: 'unset' }).status).toBe('unset')
	expect(map(call, {}, { scope, status: 'error' }).status).toBe('error')
})

test('of a span that failed, the exception is the type of its error where it names none', () => {
	const exception = 'openai.RateLimitError'
	const typeOf = (attributes: Record<string, AttributeValue>, status: 'error' | 'ok' = 'error') =>
		map(attributes, {}, { exception, status }).errorType
	expect(typeOf({ 'openinference.span.kind': 'LLM' })).toBe(exception)
	expect(typeOf({ 'openinference.span.kind': 'LLM' }, 'ok')).toBe('')
	expect(typeOf({ 'error.type': '429' })).toBe('429')
	// Semantic Kernel.
	expect(typeOf({ 'error.type': "<class 'openai.APIError'>" })).toBe('openai.APIError')
})

test("a run of LangSmith that recorded an exception has failed, though its span's status is ok", () => {
	const failed = { exception: 'Exception', status: 'ok' } as const
	for (const kind of ['llm', 'tool', 'chain'])
		expect(map({ 'langsmith.span.kind': kind }, {}, failed)).toMatchObject({
			...{ status: 'error', errorType: 'Exception' },
		})
	expect(map({ 'langsmith.span.kind': 'llm' }, {}, { status: 'ok' }).status).toBe('ok')
	expect(map({ 'gen_ai.operation.name': 'chat' }, {}, failed)).toMatchObject({ status: 'ok', errorType: '' })
})

test.each(['tools/call docs__search', 'MCP send tools/call docs__search', 'execute_tool docs__search'])(
	'a call whose attributes do not name its tool has that of its name: %s',
	(name) => {
		const call = { 'mcp.method.name': 'tools/call', 'jsonrpc.request.id': '4' }
		expect(map(call, {}, { name })).toMatchObject({ kind: 'tool_call', toolName: 'docs__search' })
	},
)

const ofHandler = {
	...{ 'langfuse.observation.type': 'generation', 'langfuse.observation.model.name': 'claude-sonnet-4-5' },
	'langfuse.observation.usage_details': '{"input":700,"output":50,"cache_read_input_tokens":300}',
}

test("Langfuse's handler of LangChain for Python has provider, session and user as JSON", () => {
	const metadata = (name: string, value: string) => ({ [`langfuse.observation.metadata.${name}`]: value })
	const ofJavaScript = map({ ...ofHandler, ...metadata('ls_provider', 'anthropic') })
	const ofPython = map({
		...{ ...ofHandler, ...metadata('ls_provider', '"anthropic"') },
		...{ ...metadata('langfuse_session_id', '"s1"'), ...metadata('langfuse_user_id', '"u1"') },
	})
	expect(ofJavaScript).toMatchObject({ provider: 'anthropic', costSource: 'computed' })
	expect(ofPython).toMatchObject({
		...{ provider: 'anthropic', costNanoUsd: ofJavaScript.costNanoUsd, sessionId: 's1', userId: 'u1' },
	})
})

test('an observation of Langfuse of the level ERROR has failed, whatever its status says', () => {
	const level = (of: string) => map({ ...ofHandler, 'langfuse.observation.level': of }).status
	expect(['ERROR', 'WARNING', 'DEFAULT'].map(level)).toEqual(['error', 'unset', 'unset'])
	expect(
		map({ ...ofHandler, 'langfuse.observation.type': 'tool', 'langfuse.observation.level': 'ERROR' }),
	).toMatchObject({ kind: 'tool_call', status: 'error' })
})

test("OpenInference has the role of CrewAI's agents as a node of a graph", () => {
	const node = { 'openinference.span.kind': 'AGENT', 'graph.node.id': 'planner' }
	const ofCrew = { scope: 'openinference.instrumentation.crewai' }
	expect(map(node, {}, ofCrew).agentName).toBe('planner')
	expect(map({ ...node, 'openinference.span.kind': 'CHAIN' }, {}, ofCrew).agentName).toBe('')
	// Elsewhere it may be a random id.
	expect(map(node).agentName).toBe('')
})

test.each([
	["tool: 'weather'", 'weather'],
	["mcp_tool: 'search' on 'docs'", 'search'],
	['weather', 'weather'],
])("a tool of Mastra goes by its own name by way of Laminar's exporter: %s", (name, toolName) => {
	expect(map({ 'lmnr.span.type': 'TOOL' }, {}, { name })).toMatchObject({ kind: 'tool_call', toolName })
})
