import { expect, it } from 'vitest'
import { decodeSpanBlock } from '../blocks/span-block.ts'
import { encodeMessage } from '../otlp/encode-request.ts'
import { transcodeJson } from '../otlp/transcode-json.ts'
import { transcodeProtobuf } from '../otlp/transcode-protobuf.ts'
import { newSpanRow } from '../span-row.ts'
import { isContentKey, redactCall, redactedKey, redactorOf } from './redactor.ts'

it.each([
	['gen_ai.input.messages', true],
	['mastra.agent_run.input', true],
	['mastra.metadata.userId', false],
	['gen_ai.input.messages.more', false],
	['gen_ai.prompt.3.content', true],
	['mcp.request.argument.path', true],
	['mcp.method.name', false],
	// Of an agent whose state its client holds: the whole conversation.
	['genkit:init', true],
	['koog.node.input', true],
	['ai.observability.call.kwargs.q', true],
	['response.1.content', true],
	['request.params.arguments.city', true],
	['request.params.name', false],
	['ai.request.text', true],
	['ai.decision.state', true],
	['ai.request.audio.size', false],
	['user.email', false],
	['ai', false],
	['', false],
])('%s holds content: %s', (key, expected) => {
	expect(isContentKey(key)).toBe(expected)
})

const builtIn = redactorOf(undefined)

it('a value without private data is returned as it is, and is changed only where there is some', () => {
	const harmless = ['a', { b: 'c', n: 1n }]
	expect(builtIn.content(harmless, new Set())).toBe(harmless)
	const found: Set<string> = new Set()
	const value = builtIn.content([{ role: 'user', content: 'I am jane@example.com' }, 7n], found)
	expect(value).toEqual([{ role: 'user', content: 'I am [redacted:email]' }, 7n])
	expect([...found]).toEqual(['email'])
})

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const plainSpan = {
	traceId: 'ab'.repeat(16),
	spanId: 'cd'.repeat(8),
	startTimeUnixNano: '1790000000000000000',
}
const given = {
	workspaceId: 'w',
	retentionDays: 30,
	oldestNs: 0n,
	nowNs: 1n,
	newestNs: 2n ** 63n - 1n,
	maxRowsBytes: 1 << 20,
}

it('the content of a span is redacted before it is written; other attributes stay', () => {
	const span = {
		...plainSpan,
		attributes: [
			text('gen_ai.prompt.0.content', 'my card is 4111 1111 1111 1111'),
			text('enduser.id', 'jane@example.com'),
		],
		events: [
			{ name: 'gen_ai.user.message', attributes: [text('content', 'jane@example.com')] },
			{
				name: 'exception',
				attributes: [text('exception.message', 'no jane@example.com'), text('host', 'a@b.io')],
			},
		],
	}
	const body = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }))
	const [row] = decodeSpanBlock(transcodeJson(body, given).rows)
	expect(Object.fromEntries(row?.attributes ?? [])).toEqual({
		'gen_ai.prompt.0.content': 'my card is [redacted:card]',
		'enduser.id': 'jane@example.com',
		[redactedKey]: ['email', 'card'],
	})
	expect(row).toMatchObject({ userId: 'jane@example.com' })
	expect(row?.events).toContain('no [redacted:email]')
	expect(row?.events).toContain('a@b.io')
	expect(row?.events.match(/jane@/)).toBeNull()
})

it.each<[string, object, object]>([
	[
		'its status',
		{ status: { code: 2, message: 'no account jane@example.com' } },
		{ statusMessage: 'no account [redacted:email]' },
	],
	[
		'an event',
		{ events: [{ name: 'exception', attributes: [text('exception.message', 'no jane@example.com')] }] },
		{ events: expect.stringContaining('no [redacted:email]') },
	],
])('a span with private data in %s alone is marked, in both encodings', (_where, fields, expected) => {
	const traces = { resourceSpans: [{ scopeSpans: [{ spans: [{ ...plainSpan, ...fields }] }] }] }
	const fromJson = transcodeJson(Buffer.from(JSON.stringify(traces)), given)
	expect(transcodeProtobuf(encodeMessage('traces', traces), given).rows.equals(fromJson.rows)).toBe(true)
	const [row] = decodeSpanBlock(fromJson.rows)
	expect(row).toMatchObject(expected)
	expect(row?.attributes.get(redactedKey)).toEqual(['email'])
})

it('the error message of a call of ours is stored without private data', () => {
	const ids = { workspaceId: 'w', traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), name: 'n', startNs: 1n }
	const call = newSpanRow({
		...ids,
		source: 'gateway',
		kind: 'tool_call',
		statusMessage: 'no account jane@example.com',
	})
	expect(redactCall(call, undefined)).toEqual({
		...call,
		...{ statusMessage: 'no account [redacted:email]', attributes: new Map([[redactedKey, ['email']]]) },
	})
	const fine = { ...call, statusMessage: 'no such tool' }
	expect(redactCall(fine, undefined)).toEqual(fine)
})
