import { expect, it } from 'vitest'
import { PreparedHeaderCache } from './prepared-endpoints.ts'

const raw = (length: string, more: readonly string[] = []) => [
	...['Host', 'localhost', 'Authorization', `Bearer ${length}`, 'User-Agent', 'client/1'],
	...['Content-Length', length, ...more],
]

function usual() {
	const prepared: (readonly string[])[] = []
	const headers = new PreparedHeaderCache((given) => {
		prepared.push(given)
		return { forProvider: given, announced: Buffer.alloc(0) }
	})
	return { headers, prepared }
}

it('headers are prepared when they are repeated, whatever the length of the body and the credential', () => {
	const { headers, prepared } = usual()
	expect(headers.of(raw('10'))).toBeNull()
	const second = headers.of(raw('20'))
	expect(second).not.toBeNull()
	expect(headers.of(raw('30'))).toBe(second)
	expect(prepared).toHaveLength(1)
})

it.each([
	[
		'another value',
		['Host', 'localhost', 'Authorization', 'x', 'User-Agent', 'client/2', 'Content-Length', '1'],
	],
	[
		'another name',
		['Host', 'localhost', 'Authorization', 'x', 'User-agent', 'client/1', 'Content-Length', '1'],
	],
	['one more', raw('1', ['X-Signalbox-Session-Id', 's'])],
	['one less', raw('1').slice(2)],
])('%s is of other headers', (_, other) => {
	const { headers, prepared } = usual()
	headers.of(raw('10'))
	expect(headers.of(other)).toBeNull()
	expect(prepared).toHaveLength(0)
})

it('headers that differ in each call are forgotten', () => {
	const { headers } = usual()
	headers.of(raw('1'))
	for (let at = 0; at < 4; at += 1) headers.of(raw('1', ['Traceparent', String(at)]))
	expect(headers.of(raw('1'))).toBeNull()
})
