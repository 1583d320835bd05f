import { expect, test } from 'vitest'
import { map } from './map.testing.ts'

/** Requests of Anthropic's client 2.14, by its own spans, by OpenInference 3.1 and by Logfire 5.4. */
const model = { 'gen_ai.request.model': 'claude-sonnet-4-5' }
const byClient = { 'gen_ai.provider.name': 'anthropic', ...model }
const byOpenInference = {
	...{ 'openinference.span.kind': 'LLM', 'llm.model_name': 'claude-sonnet-4-5' },
	...{ 'llm.provider': 'anthropic', 'llm.system': 'anthropic' },
}
const byLogfire = (provider: string, url: string) => ({
	...{ 'gen_ai.system': provider.toLowerCase(), 'gen_ai.provider.name': provider.toLowerCase(), ...model },
	'logfire.msg_template': `${provider} API call to {url!r}`,
	'logfire.msg': `${provider} API call to '${url}'`,
})

test.each([
	['anthropic.messages.count_tokens', byClient],
	['anthropic.sessions.create', byClient],
	['messages.count_tokens', byOpenInference],
	['beta.messages.count_tokens', byOpenInference],
	['Anthropic API call to {url!r}', byLogfire('Anthropic', '/v1/messages/count_tokens')],
	['OpenAI API call to {url!r}', byLogfire('OpenAI', '/moderations')],
])('%s names a model and does not call it', (name, attributes) => {
	expect(map(attributes, {}, { name })).toMatchObject({ kind: 'other', usageSource: '' })
})

test.each([
	['anthropic.messages.create', { ...byClient, 'gen_ai.operation.name': 'chat' }],
	['messages.create', byOpenInference],
	['OpenAI API call to {url!r}', byLogfire('OpenAI', '/audio/speech')],
	['OpenAI API call to {url!r}', { ...byLogfire('OpenAI', '/new'), 'gen_ai.usage.input_tokens': 7n }],
	['chat claude-sonnet-4-5', byClient],
])('%s is a call', (name, attributes) => {
	expect(map(attributes, {}, { name })).toMatchObject({ kind: 'model_call' })
})

test('a conversation of TanStack AI has the sums of its calls, which have spans of their own', () => {
	const conversation = { 'gen_ai.system': 'openai', 'gen_ai.request.model': 'gpt-5.6-sol' }
	const usage = { 'gen_ai.usage.input_tokens': 2000n, 'gen_ai.usage.output_tokens': 100n }
	const span = { name: 'chat gpt-5.6-sol', otlpKind: 1 }
	for (const given of [conversation, { ...conversation, ...usage }])
		expect(map(given, {}, span)).toMatchObject({ kind: 'other', inputTokens: 0, usageSource: '' })
	const call = { ...conversation, ...usage, 'gen_ai.operation.name': 'chat' }
	expect(map(call, {}, { name: 'chat gpt-5.6-sol #0', otlpKind: 3 })).toMatchObject({ kind: 'model_call' })
	expect(map({ ...conversation, ...usage }, {}, { ...span, otlpKind: 3 })).toMatchObject({
		kind: 'model_call',
	})
})

test.each(['summarize', 'text_to_speech', 'audio_generation'])('%s of TanStack AI is a call', (operation) => {
	expect(map({ 'gen_ai.operation.name': operation, ...model })).toMatchObject({ kind: 'model_call' })
})

test('a step of mcp-agent has the sums of its calls, which have spans of their own', () => {
	const step = { 'gen_ai.agent.name': 'finder', ...model, 'gen_ai.usage.input_tokens': 2000n }
	for (const name of ['OpenAIAugmentedLLM.finder.generate', 'AnthropicAugmentedLLM.finder.generate'])
		expect(map(step, {}, { name })).toMatchObject({ kind: 'other', inputTokens: 0, agentName: 'finder' })
	// The client of Azure has no spans of its own.
	const own = { name: 'AzureAugmentedLLM.finder.generate' }
	expect(map(step, {}, own)).toMatchObject({ kind: 'model_call', inputTokens: 2000 })
})

test.each([
	['self_check_input', 'self_check_input claude-sonnet-4-5', 3, 'model_call'],
	['self_check_input', 'self_check_input', 3, 'other'],
	['self_check_input', 'self_check_input claude-sonnet-4-5', 1, 'other'],
	['count_tokens', 'count_tokens claude-sonnet-4-5', 3, 'other'],
	['invoke_agent', 'invoke_agent claude-sonnet-4-5', 3, 'other'],
])('operation %s, named %s, of kind %i, is %s', (operation, name, otlpKind, kind) => {
	// NeMo Guardrails 0.24 names the operation after its task.
	const usage = { 'gen_ai.usage.input_tokens': 1000n, 'gen_ai.usage.output_tokens': 50n }
	const given = { ...byClient, 'gen_ai.operation.name': operation, ...usage }
	const inputTokens = kind === 'model_call' ? 1000 : 0
	expect(map(given, {}, { name, otlpKind })).toMatchObject({ kind, inputTokens })
})
