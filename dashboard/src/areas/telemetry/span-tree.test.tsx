import { expect, test } from 'vitest'
import { factsOf, shownCost } from './describe-span.ts'
import type { Span } from './queries.ts'
import { toShownRows, toSpanTree } from './span-tree.ts'

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

test('the cost of a trace names the calls without a price that it leaves out', () => {
	const call = (id: string, cost_nano_usd: string | null): Span => ({
		...span(id, null, 0, 1),
		...{ kind: 'model_call', cost_nano_usd, session_id: null, user_id: null, agent: null, agent_name: null },
		...{ model: null, model_requested: null },
		tokens: { input: 1, cache_read: 0, cache_write: 0, output: 0, reasoning: 0 },
	})
	const costOf = (...costs: (string | null)[]) =>
		shownCost(factsOf(toSpanTree(costs.map((cost, at) => call(`s${at}`, cost)))))
	expect([costOf('5000000000'), costOf('5000000000', null), costOf(null)]).toEqual([
		'$5.00',
		'$5.00 + 1 unpriced',
		'unpriced',
	])
})

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

test('a span whose parent was not recorded is at the top level and says so', () => {
	const { rows } = toSpanTree([span('lost', 'gone', 5, 5), span('root', null, 0, 20)])
	expect(rows.map((row) => [row.span.span_id, row.isOrphan])).toEqual([
		['root', false],
		['lost', true],
	])
})

test("spans that are each other's parents are shown once each", () => {
	const { rows } = toSpanTree([span('a', 'b', 0, 5), span('b', 'a', 1, 5), span('self', 'self', 2, 5)])
	expect(rows.map((row) => row.span.span_id).toSorted()).toEqual(['a', 'b', 'self'])
})

test('nanosecond timestamps keep their exact difference', () => {
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

test('50,000 spans below one, and a chain of that length, are laid out quickly', () => {
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

test('equal consecutive calls are one line, which can be unfolded; a link to one of them unfolds it', () => {
	const call = (id: string, parent: string, tool: string, at: number) =>
		({ ...span(id, parent, at, 5), kind: 'tool_call', tool }) as Span
	const { rows } = toSpanTree([
		span('root', null, 0, 500),
		...Array.from({ length: 16 }, (_, at) => call(`s${at}`, 'root', 'search', 10 + at)),
		{ ...call('below', 's3', 'inner', 14), status: 'error' } as Span,
		call('r1', 'root', 'read', 100),
		call('r2', 'root', 'read', 101),
	])
	const ids = (folds: [string, boolean][], wanted = '') =>
		toShownRows(rows, new Map(folds), wanted).map(({ id, depth }) => `${depth} ${id}`)
	expect(ids([])).toEqual(['0 root', '1 run:s0', '1 r1', '1 r2'])
	const [, run] = toShownRows(rows, new Map(), '')
	expect([run?.run?.length, run?.failed]).toEqual([16, 1])
	const unfolded = ids([['run:s0', true]])
	expect(unfolded).toHaveLength(21)
	expect(unfolded.slice(1, 7)).toEqual(['1 run:s0', '2 s0', '2 s1', '2 s2', '2 s3', '3 below'])
	expect(ids([], 'below')).toHaveLength(21)
	expect(
		ids([
			['run:s0', true],
			['s3', false],
		]),
	).toHaveLength(20)
	expect(ids([['root', false]])).toEqual(['0 root'])
})
