import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventStreamReader } from './event-stream-reader.ts'

const read = (chunks: Buffer[], limit = 1000) => {
	const seen: string[] = []
	const parser = new EventStreamReader(
		(data, name) => data !== '' && name === 'message' && seen.push(data),
		limit,
	)
	for (const chunk of chunks) parser.push(chunk)
	return seen
}

const text =
	': comment\r\nid: 1\r\ndata: \r\n\r\nevent: message\ndata: {"a":"ü🎺"}\n\ndata:one\rdata:  two\r\revent: other\ndata: no\n\nretry: 5\ndata\ndata: x\n\ndata: unfinished'
const expected = ['{"a":"ü🎺"}', 'one\n two', '\nx']

describe('an event stream', () => {
	it('is read with all line endings, comments, and multi-line events', () => {
		expect(read([Buffer.from(text)])).toEqual(expected)
	})
	it('is read the same wherever it is split into chunks', () => {
		const bytes = Buffer.from(`\ufeff${text}`)
		expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected)
		fc.assert(
			fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
				const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length]
				expect(read(edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge)))).toEqual(
					expected,
				)
			}),
		)
	})
	it('is read at once if lines end in carriage returns only, or in CRLF split between chunks', () => {
		expect(read([Buffer.from('data: one\r\r')])).toEqual(['one'])
		expect(
			read([
				Buffer.from('data: one\r'),
				Buffer.from('\n'),
				Buffer.from('\r'),
				Buffer.from('\ndata: two\n\r'),
			]),
		).toEqual(['one', 'two'])
	})
	it('ends at an event that exceeds the limit', () => {
		expect(() => read([Buffer.from(`data: ${'x'.repeat(2000)}`)])).toThrow(/too large/)
		expect(() => read([Buffer.from('data: xxxxxxxxxx\n'.repeat(200))])).toThrow(/too large/)
		expect(read([Buffer.from(`data: ${'x'.repeat(900)}\n\n`.repeat(5))])).toHaveLength(5)
	})
})
