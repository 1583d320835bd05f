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
