import { expect, test } from 'vitest'
import { messagesOfSpan, toolContentOfSpan } from '../../normalise/messages.ts'
import type { AttributeValue } from '../../span-row.ts'
import { spansOf } from './spans-of.testing.ts'

const question = /What colour is the sky\?|hi|weather\?|brief|"x"/
const answer = /Blue\.|It is 21 degrees|weather|city/

test.each([
	...['js-openinference.pb', 'js-vercel-1.pb', 'js-langfuse.json', 'js-openlit.json', 'js-traceloop-1.pb'],
	...['python-openinference-openai.pb', 'python-langfuse-openai.pb', 'python-openllmetry-openai.pb'],
	...['python-logfire.pb', 'python-laminar.pb', 'python-mlflow.pb', 'python-strands.pb'],
	...['python-agent-framework.pb', 'js-vercel-7.pb'],
])('the messages that %s recorded are read', (file) => {
	const calls = spansOf(file)
		.filter(({ kind }) => kind === 'model_call')
		.map(({ attributes, events }) => messagesOfSpan(attributes, events))
		.filter((messages) => messages.some(({ kind }) => kind === 'answer'))
	expect(calls.length).toBeGreaterThan(0)
	for (const messages of calls.filter((each) => !JSON.stringify(each).includes('dimensions'))) {
		const [first, last] = [messages[0], messages.at(-1)]
		expect(first?.kind).not.toBe('answer')
		expect(JSON.stringify(first?.value)).toMatch(question)
		expect(last).toMatchObject({ kind: 'answer', role: expect.stringMatching(/assistant|model/) })
		expect(JSON.stringify(last?.value)).toMatch(answer)
	}
})

const messagesIn = (attributes: Record<string, AttributeValue>, events = '') =>
	messagesOfSpan(new Map(Object.entries(attributes)), events).map(({ kind, role, value }) => [
		kind,
		role,
		value,
	])
const event = (name: string, attributes: Record<string, string>) => ({
	name,
	attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
})

test('numbered lists are in order and include the tool calls that the model requested', () => {
	expect(
		messagesIn({
			'gen_ai.prompt.10.role': 'tool',
			'gen_ai.prompt.10.content': 'ten',
			'gen_ai.prompt.2.role': 'system',
			'gen_ai.prompt.2.content': 'be kind',
			'gen_ai.completion.0.role': 'assistant',
			'gen_ai.completion.0.tool_calls.0.name': 'search',
			'gen_ai.completion.0.tool_calls.0.arguments': '{}',
		}),
	).toEqual([
		['system', 'system', { role: 'system', content: 'be kind' }],
		['message', 'tool', { role: 'tool', content: 'ten' }],
		['answer', 'assistant', { role: 'assistant', tool_calls: [{ name: 'search', arguments: '{}' }] }],
	])
	const parts = 'llm.input_messages.0.message.contents.0.message_content'
	const call = 'llm.output_messages.0.message.tool_calls.0.tool_call.function'
	expect(
		messagesIn({
			'llm.input_messages.0.message.role': 'user',
			[`${parts}.text`]: 'look',
			[`${call}.name`]: 'search',
		}),
	).toEqual([
		['message', 'user', { role: 'user', content: [{ text: 'look' }] }],
		['answer', 'assistant', { tool_calls: [{ function: { name: 'search' } }] }],
	])
})

test('instructions come first, in whichever attribute a library stores them', () => {
	expect(
		messagesIn({ 'ai.prompt': '{"system":"be kind","messages":[{"role":"user","content":"hi"}]}' }),
	).toEqual([
		['system', 'system', 'be kind'],
		['message', 'user', { role: 'user', content: 'hi' }],
	])
	const instructions = '[{"type":"text","content":"be kind"}]'
	expect(
		messagesIn({ 'gen_ai.system_instructions': instructions, 'gen_ai.input.messages': '[]' })[0]?.slice(0, 2),
	).toEqual(['system', 'system'])
})

test('typed values of LangWatch are read', () => {
	const input = { type: 'chat_messages', value: [{ role: 'user', content: 'hi' }] }
	const output = { type: 'text', value: 'hello' }
	expect(
		messagesIn({ 'langwatch.input': JSON.stringify(input), 'langwatch.output': JSON.stringify(output) }),
	).toEqual([
		['message', 'user', { role: 'user', content: 'hi' }],
		['answer', 'assistant', 'hello'],
	])
})

test('messages in events are read like those in attributes', () => {
	const each = [
		event('gen_ai.user.message', { content: 'hi' }),
		event('gen_ai.choice', { message: '[{"text":"hello"}]' }),
	]
	expect(messagesIn({}, JSON.stringify(each))).toEqual([
		['message', 'user', { content: 'hi' }],
		['answer', 'assistant', [{ text: 'hello' }]],
	])
	const whole = event('gen_ai.client.inference.operation.details', {
		'gen_ai.output.messages': '[{"role":"assistant","parts":[]}]',
	})
	expect(messagesIn({}, JSON.stringify([whole]))).toEqual([
		['answer', 'assistant', { role: 'assistant', parts: [] }],
	])
})

test.each([
	['gen_ai.prompt', 'gen_ai.completion'],
	// NeMo Guardrails.
	['content', 'content'],
])('the events of a prompt and a completion have the text in %s and %s', (prompt, completion) => {
	const events = [
		event('gen_ai.content.prompt', { [prompt]: 'Is this ok?' }),
		event('gen_ai.content.completion', { [completion]: 'Yes' }),
	]
	expect(messagesIn({}, JSON.stringify(events))).toEqual([
		['message', 'user', 'Is this ok?'],
		['answer', 'assistant', 'Yes'],
	])
})

test.each(['spring.ai.tool.call.', 'gen_ai.tool.call.'])(
	'%s reports the arguments and the result of a tool',
	(prefix) => {
		const attributes = new Map([
			[`${prefix}arguments`, '{"city":"Paris"}'],
			[`${prefix}result`, 'sunny'],
		])
		expect(toolContentOfSpan(attributes)).toEqual([
			{ kind: 'arguments', text: '{"city":"Paris"}' },
			{ kind: 'result', text: 'sunny' },
		])
	},
)

test('text that is not JSON, truncated JSON and hostile names are treated as text', () => {
	expect(messagesIn({ 'langfuse.observation.input': 'hi', 'output.value': '[{"role":"assi' })).toEqual([
		['message', 'user', 'hi'],
		['answer', 'assistant', '[{"role":"assi'],
	])
	expect(
		messagesIn({ 'gen_ai.prompt.0.__proto__.polluted': 'x', 'gen_ai.prompt.0.content': 'y' }),
	).toHaveLength(1)
	expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
	const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
	expect(messagesIn({ 'input.value': deep })).toEqual([['message', 'user', deep]])
	expect(messagesIn({ name: 'x' })).toEqual([])
})

test('Pipecat has the messages as JSON and the answer as text, in attributes of plain names', () => {
	const attributes = new Map([
		['input', '[{"role": "user", "content": "weather in paris"}]'],
		['output', 'It is sunny in Paris.'],
	])
	expect(messagesOfSpan(attributes, '[]')).toMatchObject([
		{ kind: 'message', role: 'user' },
		{ kind: 'answer', role: 'assistant', value: 'It is sunny in Paris.' },
	])
})
