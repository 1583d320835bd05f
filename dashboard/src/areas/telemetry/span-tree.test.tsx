import { expect, test } from 'vitest'
import type { Span } from './queries.ts'
import { toSpanTree } from './span-tree.ts'

function span(id: string, parent: string | null, startMs: number, lengthMs: number): Span {
	return {
		span_id: id,
		parent_span_id: parent,
		start_time_unix_nano: String(BigInt(startMs) * 1_000_000n),
		duration_nano: String(BigInt(lengthMs) * 1_000_000n),
		started_at: new Date(startMs).toISOString(),
		status: 'ok',
	} as Span
}

test('children follow their parent in the order of their start', () => {
	const { rows, durationMs } = toSpanTree([
		span('b', 'root', 60, 40),
		span('root', null, 0, 100),
		span('a', 'root', 10, 20),
		span('a1', 'a', 12, 5),
	])
	expect(rows.map((row) => [row.span.span_id, row.depth])).toEqual([
		['root', 0],
		['a', 1],
		['a1', 2],
		['b', 1],
	])
	expect(durationMs).toBe(100)
	expect(rows[3]).toMatchObject({ offset: 0.6, width: 0.4 })
})

test('a span whose parent was not recorded stands at the top and says so', () => {
	const { rows } = toSpanTree([span('lost', 'gone', 5, 5), span('root', null, 0, 20)])
	expect(rows.map((row) => [row.span.span_id, row.isOrphan])).toEqual([
		['root', false],
		['lost', true],
	])
})

test('spans that name each other as parents are shown once each', () => {
	const { rows } = toSpanTree([span('a', 'b', 0, 5), span('b', 'a', 1, 5), span('self', 'self', 2, 5)])
	expect(rows.map((row) => row.span.span_id).toSorted()).toEqual(['a', 'b', 'self'])
})

test('nanoseconds since 1970 keep their difference', () => {
	const late = {
		...span('b', 'a', 0, 0),
		start_time_unix_nano: '1795237687000000123',
		duration_nano: '1000',
	} as Span
	const { rows } = toSpanTree([
		{ ...span('a', null, 0, 0), start_time_unix_nano: '1795237687000000023', duration_nano: '2000' } as Span,
		late,
	])
	expect(rows[1]?.offset).toBeCloseTo(0.05)
})

test('a chain of ten thousand spans does not exhaust the stack', () => {
	const chain = Array.from({ length: 10_000 }, (_, index) =>
		span(`s${index}`, index ? `s${index - 1}` : null, index, 1),
	)
	expect(toSpanTree(chain).rows.at(-1)?.depth).toBe(9_999)
})

test('50,000 spans below one, and a chain as long, are laid out in moments', () => {
	const before = process.cpuUsage()
	const wide = Array.from({ length: 50_000 }, (_, index) => span(`s${index}`, index ? 's0' : null, index, 1))
	const deep = Array.from({ length: 50_000 }, (_, index) =>
		span(`s${index}`, index ? `s${index - 1}` : null, index, 1),
	)
	expect(toSpanTree(wide).rows).toHaveLength(50_000)
	expect(toSpanTree(deep).rows.at(-1)?.depth).toBe(49_999)
	const { user, system } = process.cpuUsage(before)
	expect((user + system) / 1e6).toBeLessThan(4)
})
