import { expect, test } from 'vitest'
import { messageText } from './message-text.ts'
import { sessionParam } from './session-param.ts'

test.each([
	['{"role":"user","content":"hello"}', 'hello'],
	[
		'{"content":[{"type":"text","text":"a"},{"type":"tool_use","name":"search","input":{"q":1}}]}',
		'a\nsearch({"q":1})',
	],
	['{"role":"user","parts":[{"text":"of Gemini"}]}', 'of Gemini'],
	['{"content":null,"tool_calls":[{"function":{"name":"get","arguments":"{}"}}]}', 'get({})'],
	['{"tool_calls":[{"name":"get","arguments":"{}"}]}', 'get({})'],
	[
		'{"parts":[{"type":"tool_call","name":"get","arguments":{"a":1}},{"type":"tool_call_response","response":"21"}]}',
		'get({"a":1})\n21',
	],
	['{"content":[{"type":"tool-call","toolName":"get","input":{"a":1}}]}', 'get({"a":1})'],
	['{"choices":[{"message":{"content":"answered"}}]}', 'answered'],
	['{"odd":1}', '{"odd":1}'],
	['{"content":"cut of', '{"content":"cut of'],
	['"plain"', 'plain'],
])('%s says %s', (json, text) => {
	expect(messageText(json)).toBe(text)
})

test('a session is a part of a path, whatever it is called', () => {
	expect(sessionParam('run-1')).toBe('run-1')
	expect(sessionParam('team/7')).toBe('~dGVhbS83')
	expect(sessionParam('~a')).toBe('~fmE')
})
