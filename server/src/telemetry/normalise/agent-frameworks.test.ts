import { expect, test } from 'vitest'
import type { AttributeValue } from '../span-row.ts'
import { map } from './map.testing.ts'

const ag2 = { scope: 'opentelemetry.instrumentation.ag2' }
const adk = { scope: 'gcp.vertex.agent' }

const ofUsage = {
	...{ 'ag2.span.type': 'usage', 'gen_ai.response.model': 'gpt-5', 'gen_ai.provider.name': 'openai' },
	...{ 'gen_ai.usage.input_tokens': 1000n, 'gen_ai.usage.output_tokens': 50n },
	...{ 'gen_ai.usage.cache_read_input_tokens': 600n, 'gen_ai.usage.thinking_tokens': 20n },
}
test.each([
	['model_call', 'other'],
	['subtask', 'other'],
	['compaction', 'model_call'],
	['aggregation', 'model_call'],
])("AG2's span of the usage of a %s is of kind %s", (usage, kind) => {
	const span = map({ ...ofUsage, 'ag2.usage.kind': usage, 'ag2.usage.total_tokens': 1050n }, {}, ag2)
	const figures = { inputTokens: 400, cacheReadTokens: 600, outputTokens: 30, reasoningTokens: 20 }
	expect(span).toMatchObject(kind === 'other' ? { kind, inputTokens: 0 } : { kind, ...figures })
})

test.each<[string, string, Record<string, bigint>, object]>([
	[
		...(['openai', 'gpt-5'] as const),
		{ input: 1000n, output: 50n, thinking: 20n },
		{ inputTokens: 700, outputTokens: 30, reasoningTokens: 20 },
	],
	[
		...(['anthropic', 'claude-sonnet-4-5'] as const),
		{ input: 700n, output: 50n, thinking: 20n },
		{ inputTokens: 700, outputTokens: 30, reasoningTokens: 20 },
	],
	['bedrock', 'amazon.nova-pro-v1:0', { input: 700n, output: 50n }, { inputTokens: 700, outputTokens: 50 }],
	[
		...(['google', 'gemini-2.5-flash'] as const),
		{ input: 1000n, output: 30n, thinking: 20n },
		{ inputTokens: 700, outputTokens: 30, reasoningTokens: 20 },
	],
])('AG2 forwards the counts of %s for %s', (provider, model, { input, output, thinking }, expected) => {
	const span = map(
		{
			...{ 'ag2.span.type': 'llm', 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider },
			...{ 'gen_ai.request.model': model, 'gen_ai.response.model': model },
			...{ 'gen_ai.usage.input_tokens': input ?? 0n, 'gen_ai.usage.output_tokens': output ?? 0n },
			...{ 'gen_ai.usage.cache_read_input_tokens': 300n },
			...(thinking !== undefined && { 'gen_ai.usage.thinking_tokens': thinking }),
		},
		{},
		ag2,
	)
	expect(span).toMatchObject({ kind: 'model_call', cacheReadTokens: 300, ...expected })
})

test.each<[string, string, number]>([
	['openai/gpt-5.1', 'openai', 70],
	['anthropic/claude-sonnet-4-5', 'anthropic', 70],
	['gemini-2.5-flash', 'gcp.gemini', 50],
	['projects/p/locations/l/publishers/google/models/gemini-2.5-flash', 'gcp.vertex_ai', 50],
	['claude-sonnet-4-5', 'anthropic', 50],
])('the ADK reports reasoning of %s of %s in an output of %d tokens', (model, provider, output) => {
	const call = {
		...{ 'gen_ai.operation.name': 'generate_content', 'gen_ai.request.model': model },
		...{ 'gen_ai.provider.name': provider, 'gen_ai.agent.name': 'helper' },
		...{ 'gen_ai.usage.input_tokens': 1000n, 'gen_ai.usage.output_tokens': BigInt(output) },
		'gen_ai.usage.reasoning.output_tokens': 20n,
	}
	expect(map(call, {}, adk)).toMatchObject({ outputTokens: 30, reasoningTokens: 20 })
	// Another library that follows the conventions.
	expect(map(call)).toMatchObject({ outputTokens: output - 20 })
})

const answered = (more: object) =>
	JSON.stringify({
		content: { role: 'model', parts: [{ text: 'It is sunny.' }] },
		usageMetadata: {
			promptTokenCount: 1000,
			cachedContentTokenCount: 600,
			candidatesTokenCount: 30,
			...more,
		},
		finishReason: 'STOP',
	})

test('the ADK for JavaScript has cached and reasoning tokens in the answer of the model only', () => {
	const call = {
		...{ 'gen_ai.system': 'gcp.vertex.agent', 'gen_ai.request.model': 'gemini-2.5-flash' },
		...{ 'gen_ai.usage.input_tokens': 1000n, 'gen_ai.usage.output_tokens': 30n },
	}
	const answeredWith = (response: string) =>
		map({ ...call, 'gcp.vertex.agent.llm_response': response }, {}, adk)
	const figures = { kind: 'model_call', cacheReadTokens: 600, outputTokens: 30 }
	expect(answeredWith(answered({ thoughtsTokenCount: 20, totalTokenCount: 1050 }))).toMatchObject({
		...{ ...figures, inputTokens: 400, reasoningTokens: 20, status: 'unset' },
	})
	expect(answeredWith(answered({ toolUsePromptTokenCount: 50 }))).toMatchObject({
		...figures,
		inputTokens: 450,
	})
	// Content is off, or the answer is none of Gemini's.
	expect(answeredWith('{}')).toMatchObject({ inputTokens: 1000, outputTokens: 30 })
	expect(answeredWith('{"usageMetadata":{')).toMatchObject({ usageSource: 'missing' })
})

test('the last answer that the ADK for JavaScript has of a stream that broke off is a part', () => {
	const response = { 'gcp.vertex.agent.llm_response': `${answered({}).slice(0, -1)},"partial":true}` }
	const call = { 'gen_ai.system': 'gcp.vertex.agent', 'gen_ai.request.model': 'gemini-2.5-flash' }
	expect(map({ ...call, ...response }, {}, adk).status).toBe('error')
})

test('the span of the ADK for several tools at once is no call of a tool', () => {
	const span = (tool: string) => ({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool })
	expect(map(span('(merged tools)'), {}, adk).kind).toBe('other')
	expect(map(span('weather'), {}, adk)).toMatchObject({ kind: 'tool_call', toolName: 'weather' })
})

const ofGemini = {
	...{ 'gen_ai.provider.name': 'gemini', 'gen_ai.request.model': 'gemini-2.5-flash' },
	...{ 'gen_ai.usage.input_tokens': 1000n, 'gen_ai.usage.cache_read.input_tokens': 600n },
}
const genai = { scope: 'opentelemetry.instrumentation.google_genai' }
test.each<[string, Record<string, AttributeValue>, object]>([
	['interactions.create', { 'gen_ai.usage.output_tokens': 30n }, genai],
	['generate_content', { 'gen_ai.usage.output_tokens': 50n }, genai],
	['chat', { 'gen_ai.usage.output_tokens': 30n, 'telemetry.sdk.name': 'openlit' }, {}],
])('the thoughts of Gemini are beside the output of some libraries: %s', (operation, more, origin) => {
	const reasoning = operation === 'chat' ? 'reasoning_tokens' : 'reasoning.output_tokens'
	const call = {
		...ofGemini,
		'gen_ai.operation.name': operation,
		[`gen_ai.usage.${reasoning}`]: 20n,
		...more,
	}
	expect(map(call, {}, origin)).toMatchObject({
		...{ inputTokens: 400, cacheReadTokens: 600, outputTokens: 30, reasoningTokens: 20 },
	})
})

test.each([
	['InteractionsResource.create', 1600n],
	['AsyncInteractionsResource.create', 1600n],
	['GenerateContent', 1000n],
])('OpenInference adds what was cached to the input of %s or not', (name, prompt) => {
	const call = {
		...{ 'openinference.span.kind': 'LLM', 'llm.provider': 'google', 'llm.model_name': 'gemini-2.5-flash' },
		...{ 'llm.token_count.prompt': prompt, 'llm.token_count.completion': 50n },
		'llm.token_count.prompt_details.cache_read': 600n,
	}
	const origin = { name, scope: 'openinference.instrumentation.google_genai' }
	expect(map(call, {}, origin)).toMatchObject({ inputTokens: 400, cacheReadTokens: 600, outputTokens: 50 })
})

test('MLflow has the requested model among the parameters, also of a call that failed', () => {
	const call = {
		...{ 'mlflow.spanType': '"CHAT_MODEL"', 'mlflow.message.format': '"openai"' },
		model: '"gpt-5.1"',
	}
	const answered = { 'mlflow.llm.model': '"gpt-5.1-2026-10-01"' }
	expect(map({ ...call, ...answered })).toMatchObject({
		...{ modelRequested: 'gpt-5.1', model: 'gpt-5.1-2026-10-01' },
	})
	expect(map(call, {}, { status: 'error', exception: 'InternalServerError' })).toMatchObject({
		...{ modelRequested: 'gpt-5.1', model: '', errorType: 'InternalServerError' },
	})
})

const answer = 'resp_68e1f0a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6'
test.each<[string, Record<string, AttributeValue>, string]>([
	['the answer that it continues', { 'gen_ai.conversation.id': answer }, ''],
	['such an answer and a session', { 'gen_ai.conversation.id': answer, 'mcp.session.id': 's' }, 's'],
	['a conversation', { 'gen_ai.conversation.id': `conv_${answer.slice(5)}` }, `conv_${answer.slice(5)}`],
	['something that is not an id of an answer', { 'session.id': 'resp_team' }, 'resp_team'],
])(
	"of a call that names %s, the session is that which lasts (Microsoft's Agent Framework)",
	(_what, attributes, session) => {
		const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-5.1', ...attributes }
		expect(map(call).sessionId).toBe(session)
	},
)

test('OpenLIT names a tool that an answer asks for; the call of the model is no call of that tool', () => {
	const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.tool.name': 'weather' }
	expect(map(call, { 'telemetry.sdk.name': 'openlit' })).toMatchObject({ kind: 'model_call', toolName: '' })
	expect(map({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather' })).toMatchObject({
		...{ kind: 'tool_call', toolName: 'weather' },
	})
})

test.each([
	['anthropic', 'claude-sonnet-4-5', 700],
	['aws.bedrock', 'amazon.nova-pro-v1:0', 700],
	['openai', 'gpt-5.1', 400],
	['gcp.gemini', 'gemini-2.5-flash', 400],
])('Pipecat forwards the counts of %s for %s', (provider, model, inputTokens) => {
	const call = {
		...{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider, 'gen_ai.request.model': model },
		...{ 'gen_ai.usage.input_tokens': 700n, 'gen_ai.usage.output_tokens': 50n },
		...{ 'gen_ai.usage.cache_read.input_tokens': 300n, 'metrics.ttfb': 0.25, stream: true },
	}
	expect(map(call, {}, { scope: 'pipecat' })).toMatchObject({
		...{ kind: 'model_call', inputTokens, cacheReadTokens: 300, timeToFirstTokenNs: 250_000_000n },
	})
})

test.each([
	['gemini', 1000, 30, 1050, 20],
	['gemini', 1000, 30, 1030, 0],
	['openai', 1000, 30, 1050, 0],
])(
	'MLflow reports the thoughts of %s in the total alone: %d, %d and %d are %d',
	(provider, input, output, total, thoughts) => {
		const usage = {
			input_tokens: input,
			output_tokens: output,
			total_tokens: total,
			cache_read_input_tokens: 600,
		}
		const call = {
			...{ 'mlflow.spanType': '"LLM"', 'mlflow.llm.model': '"m"', 'mlflow.llm.provider': `"${provider}"` },
			'mlflow.chat.tokenUsage': JSON.stringify(usage),
		}
		expect(map(call)).toMatchObject({ inputTokens: 400, outputTokens: 30, reasoningTokens: thoughts })
	},
)

test.each([
	['openai/gpt-5.6-sol:completions', 'openai/gpt-5.6-sol', 'computed'],
	['openai/gpt-5.6-sol:responses', 'openai/gpt-5.6-sol', 'computed'],
	['openai/gpt-5.6-sol', 'openai/gpt-5.6-sol', 'computed'],
	['ollama/qwen3:8b', 'ollama/qwen3:8b', ''],
])(
	'Mirascope calls the model %s, without its API %s, and has details of its usage',
	(own, model, costSource) => {
		const usage = { cache_read_tokens: 600, cache_write_tokens: 100, reasoning_tokens: 20 }
		const details = {
			'mirascope.response.usage': JSON.stringify({ input_tokens: 1000, output_tokens: 50, ...usage }),
		}
		const call = {
			...{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': own.replace(/\/.+/, '') },
			...{ 'gen_ai.request.model': own, 'gen_ai.response.model': own, ...details },
			...{ 'gen_ai.usage.input_tokens': 1000n, 'gen_ai.usage.output_tokens': 50n },
		}
		expect(map(call)).toMatchObject({
			...{ modelRequested: model, model, inputTokens: 300, cacheReadTokens: 600, cacheWriteTokens: 100 },
			...{ outputTokens: 30, reasoningTokens: 20, costSource },
		})
		const step = { 'mirascope.type': 'response_resume', 'mirascope.ops.session.id': 's', ...details }
		expect(map(step)).toMatchObject({ kind: 'other', sessionId: 's', inputTokens: 0 })
	},
)

test.each(['ai.generateSpeech', 'ai.transcribe', 'ai.streamTranscribe', 'decide'])(
	'%s of the AI SDK 7 is a call of a model, also without usage',
	(operation) => {
		const named = { 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt-4o-transcribe' }
		expect(map({ ...named, 'gen_ai.operation.name': operation }).kind).toBe('model_call')
		const heard = {
			...{ 'gen_ai.usage.input_tokens': 30n, 'gen_ai.usage.output_tokens': 5n },
			'gen_ai.usage.input_token_details.audio_tokens': 30n,
		}
		const { ledger } = map({ ...named, ...heard, 'gen_ai.operation.name': operation })
		expect(ledger.map(({ dimension }) => dimension)).toContain('in_audio')
	},
)

test.each([
	['ai.generateSpeech', 'model_call'],
	['ai.transcribe', 'model_call'],
	['ai.decide', 'other'],
	['ai.decide.doDecide', 'model_call'],
])("the AI SDK's older integration reports %s as a %s", (id, kind) => {
	expect(map({ 'ai.operationId': id, 'ai.model.id': 'gpt-5', 'ai.model.provider': 'openai' }).kind).toBe(kind)
})

test("Rig's streams are calls of a model", () => {
	const stream = {
		...{ 'gen_ai.operation.name': 'chat_streaming', 'gen_ai.provider.name': 'openai' },
		...{ 'gen_ai.request.model': 'gpt-5', 'gen_ai.usage.input_tokens': 1000n },
		...{ 'gen_ai.usage.output_tokens': 50n, 'gen_ai.usage.cached_tokens': 600n },
	}
	expect(map(stream)).toMatchObject({ kind: 'model_call', inputTokens: 400, cacheReadTokens: 600 })
})
