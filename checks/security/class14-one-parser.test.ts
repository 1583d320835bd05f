import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bearer, send } from './attack.ts'
import { useVictim } from './victim.ts'

const victim = useVictim()
let key: string
let session: string
beforeAll(async () => {
	key = (await victim.newAgent()).key
	const initialize = {
		protocolVersion: '2025-11-25',
		capabilities: {},
		clientInfo: { name: 'x', version: '1' },
	}
	const answer = await post(
		JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }),
	)
	session = String(answer.headers['mcp-session-id'])
	const first = await post('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read"}}')
	expect(first.body.result.content[0].text).toBe('done')
})
beforeEach(() => {
	victim.upstream.received.length = 0
})

function post(body: string) {
	const headers = {
		...bearer(key),
		accept: 'application/json, text/event-stream',
		...(session && { 'mcp-session-id': session }),
	}
	return send(`/mcp/${victim.slug}`, { headers, body })
}

const call = '"jsonrpc":"2.0","id":1,"method":"tools/call"'
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

// A malformed message crashed servers of the Python SDK (CVE-2025-53366), and deeply nested input crashed LiteLLM (CVE-2024-10188).
describe('a message that two parsers would read differently', () => {
	it.each([
		// The Go SDK reads keys in any case (CVE-2026-27896).
		[
			'a method in another case',
			`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"delete"}}`,
		],
		['params in another case', `{${call},"params":{"name":"read"},"Params":{"name":"delete"}}`],
		['a name in another case', `{${call},"params":{"name":"read","Name":"delete"}}`],
		['a name in capitals', `{${call},"params":{"NAME":"delete","name":"read"}}`],
		['arguments with a long s', `{${call},"params":{"name":"read","arguments":{},"argument\u017f":{"x":1}}}`],
		['params with a long s', `{${call},"params":{"name":"read"},"param\u017f":{"name":"delete"}}`],
		['two names', `{${call},"params":{"name":"read","name":"delete"}}`],
		['two names, one escaped', `{${call},"params":{"name":"read","n\\u0061me":"delete"}}`],
		[
			'two methods',
			`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"delete"}}`,
		],
		['two params', `{${call},"params":{"name":"read"},"params":{"name":"delete"}}`],
		['two keys deep in the arguments', `{${call},"params":{"name":"read","arguments":{"a":{"b":1,"b":2}}}}`],
		['a prototype', `{${call},"params":{"name":"read","__proto__":{"name":"delete"}}}`],
		['65 levels', `{${call},"params":{"name":"read","arguments":{"a":${deep(65)}}}}`],
		['a million levels', `{${call},"params":{"name":"read","arguments":{"a":${deep(400_000)}}}}`],
		['a batch', `[{${call},"params":{"name":"delete"}}]`],
		['two documents', `{${call},"params":{"name":"read"}}{${call},"params":{"name":"delete"}}`],
		['a document and a line', `{${call},"params":{"name":"read"}}\n{${call},"params":{"name":"delete"}}`],
		['a comment', `{${call},/*"params":{"name":"read"},*/"params":{"name":"delete"}}`],
		['a trailing comma', `{${call},"params":{"name":"delete"},}`],
		['single quotes', `{${call},"params":{'name':'delete'}}`],
		['a byte order mark', `\ufeff{${call},"params":{"name":"delete"}}`],
		['not a number', `{${call},"params":{"name":"read","arguments":{"a":NaN}}}`],
		[
			'a method that is not a string',
			`{"jsonrpc":"2.0","id":1,"method":["tools/call"],"params":{"name":"delete"}}`,
		],
		['a name that is not a string', `{${call},"params":{"name":["delete"]}}`],
	])('%s: is refused, and nothing reaches the server', async (_what, body) => {
		const answer = await post(body)
		expect(answer.body?.result).toBeUndefined()
		expect(victim.upstream.received).toEqual([])
	})
})

describe('the tool that is authorized is the tool that is called', () => {
	it.each([
		'delete',
		' delete',
		'delete ',
		'Delete',
		'DELETE',
		'dеlete',
		'delete\u0000',
		'read\u0000delete',
		'read/../delete',
		'read delete',
		'ｄｅｌｅｔｅ',
		'read__delete',
	])('%j is not called with a grant for `read`', async (name) => {
		const answer = await post(
			JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } }),
		)
		expect(answer.body?.result).toBeUndefined()
		expect(victim.upstream.calls()).toEqual([])
	})

	it('numbers and text reach the server as they were sent', async () => {
		const values = '{"a":12345678901234567890,"b":1.0,"c":1e400,"d":"\\ud83d\\ude00"}'
		await post(`{${call},"params":{"name":"read","arguments":${values}}}`)
		expect(victim.upstream.calls()).toHaveLength(1)
		for (const part of ['12345678901234567890', '1.0', '1e400'])
			expect(victim.upstream.calls()[0]?.text).toContain(part)
	})
})
