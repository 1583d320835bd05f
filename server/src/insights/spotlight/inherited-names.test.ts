import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { spanInsert } from '../../telemetry/blocks/native.testing.ts'
import { newSpanRow, type SpanRow } from '../../telemetry/index.ts'
import { readOverview } from './breakdowns.ts'
import { startJoinedStore } from './joined-store.testing.ts'
import { joinStretch } from './joins/join-spans.ts'
import { rollDirtyHours, rollOpenHours } from './rollups/roll-hours.ts'

let started: TestStore
beforeAll(async () => {
	started = await startJoinedStore()
})
afterAll(() => started.close())
beforeEach(async () => {
	for (const table of ['spans', 'call_hours', 'call_joins'])
		await started.store.command(`TRUNCATE TABLE ${table}`)
})

const hourMs = 3_600_000
const startMs = Math.floor((Date.now() - 30 * hourMs) / hourMs) * hourMs
const range = { startMs, endMs: startMs + 30 * hourMs }
let batches = 0

type Fields = Partial<Omit<SpanRow, 'spanId' | 'parentSpanId'>> & { atMs?: number; ms?: number }

/** A span of a trace, with numbers as ids; parent 0 means none. */
function span(id: number, parent: number, { atMs = 0, ms = 1000, ...fields }: Fields = {}): SpanRow {
	const digits = (number: number) => number.toString(16).padStart(16, '0')
	return newSpanRow({
		...{ workspaceId: 'w1', traceId: 'a'.repeat(32), name: 'step', source: 'otlp', status: 'ok' },
		...{ kind: 'other', spanId: digits(id), parentSpanId: parent === 0 ? '' : digits(parent) },
		startNs: BigInt(startMs + atMs) * 1_000_000n,
		durationNs: BigInt(ms) * 1_000_000n,
		...fields,
	})
}
const call = (id: number, parent: number, fields: Fields = {}) =>
	span(id, parent, { kind: 'model_call', model: 'gpt', ...fields })

const store = (...rows: SpanRow[]) =>
	started.store.insertRowBinary({
		...spanInsert(rows),
		deduplicationToken: `b${++batches}`,
	})
const callsOf = async (filter: Parameters<typeof readOverview>[3]) =>
	(await readOverview(started.store, 'w1', range, filter)).calls

test('calls at any depth have the session, user and agent of the root, and the nearest ancestor takes precedence', async () => {
	const steps = Array.from({ length: 9 }, (_, at) => span(at + 3, at === 0 ? 1 : at + 2))
	await store(
		span(1, 0, { sessionId: 's1', userId: 'jane', agentName: 'planner' }),
		...steps,
		call(50, 11),
		span(51, 1, { agentName: 'writer' }),
		call(52, 51),
		call(53, 51, { userId: 'joe' }),
		call(60, 0, { traceId: 'b'.repeat(32) }),
	)
	expect(await callsOf({ session: 's1' })).toBe(3)
	expect(await callsOf({ user: 'jane' })).toBe(2)
	expect(await callsOf({ user: 'joe' })).toBe(1)
	expect(await callsOf({ filter: ['agent_name=planner'] })).toBe(1)
	expect(await callsOf({ filter: ['agent_name=writer'] })).toBe(2)
	expect(await readOverview(started.store, 'w1', range, { model: 'gpt' })).toMatchObject({
		sessions: 1,
		users: 2,
	})
})

test('each view of a call has the session and user of the call, however many views are between it and the one that counts', async () => {
	const id = new Map([['gen_ai.tool.call.id', 'toolu_01A09q90qw90lq917835']])
	const tool = { kind: 'tool_call', toolName: 'search', attributes: id } as const
	await store(
		span(1, 0, { sessionId: 's1', userId: 'jane' }),
		span(2, 1, { ...tool, otlpKind: 1, ms: 900 }),
		span(3, 2, { ...tool, otlpKind: 3, ms: 800, userId: 'joe' }),
		span(4, 0, { ...tool, otlpKind: 2, ms: 700, traceId: 'b'.repeat(32) }),
	)
	expect(await callsOf({ session: 's1', user: 'jane' })).toBe(1)
	const named = await started.store.query(
		`SELECT toUInt32(reinterpretAsUInt8(reverse(span_id))) AS id, toUInt32(is_hidden > 0) AS hidden, session_id AS session, user_id AS user
			FROM call_joins FINAL ORDER BY id`,
	)
	expect(named).toEqual([
		{ id: 2, hidden: 1, session: 's1', user: 'jane' },
		{ id: 3, hidden: 1, session: 's1', user: 'jane' },
		{ id: 4, hidden: 0, session: 's1', user: 'jane' },
	])
})

test('a name on a sibling does not apply to a call', async () => {
	await store(span(1, 0), span(2, 1, { sessionId: 's1' }), call(3, 1), call(4, 2))
	expect(await callsOf({ session: 's1' })).toBe(1)
})

test('spans whose parents form a cycle are processed', async () => {
	await store(call(1, 2), span(2, 3, { userId: 'jane' }), span(3, 2))
	expect(await callsOf({ user: 'jane' })).toBe(1)
})

test('conditions match tags that calls inherit from the trace', async () => {
	const attributes = new Map([
		['langfuse.trace.tags', '["beta"]'],
		['input.value', 'no tag'],
	])
	await store(span(1, 0, { attributes }), call(2, 1))
	expect(await callsOf({ filter: ['langfuse.trace.tags~=beta'] })).toBe(1)
	expect(await callsOf({ filter: ['input.value~=tag'] })).toBe(0)
	expect(await callsOf({ filter: ['text~=BETA'] })).toBe(1)
	expect(await callsOf({ filter: ['text!~=beta'] })).toBe(0)
	expect(await callsOf({ filter: ['text~=no tag'] })).toBe(0)
})

test("so do conditions on equal and absent tags; a call's own attribute takes precedence over a tag of the same name", async () => {
	const tag = (value: string) => ({ attributes: new Map([['metadata', value]]) })
	await store(span(1, 0, tag('blue')), call(2, 1), call(3, 1, tag('red')), call(4, 0))
	const expected: [string, number][] = [
		...([
			['metadata=blue', 1],
			['metadata!=blue', 2],
			['metadata=red', 1],
			['metadata~=e', 2],
		] as const),
		...([
			['metadata', 2],
			['!metadata', 1],
			['metadata=', 0],
			['metadata!~=blue', 2],
			['text~=blue', 1],
			['text!~=blue', 2],
		] as const),
	].map(([filter, count]) => [filter, count])
	for (const [filter, count] of expected) expect(await callsOf({ filter: [filter] }), filter).toBe(count)
	expect(await callsOf({ filter: ['metadata', 'metadata!=red'] })).toBe(1)
})

test('an ancestor applies within an hour of its start, and while it lasts and an hour after, also once the hour is rolled up', async () => {
	const minutes = (count: number) => count * 60_000
	const names = { sessionId: 's1', attributes: new Map([['metadata', 'blue']]) }
	const long = { traceId: 'b'.repeat(32) }
	const chain = { traceId: 'c'.repeat(32) }
	const late = { traceId: 'd'.repeat(32) }
	await store(
		span(1, 0, names),
		call(2, 1, { atMs: minutes(59) }),
		call(3, 1, { atMs: minutes(61) }),
		call(4, 1, { atMs: minutes(150) }),
		span(11, 0, { ...long, ...names, ms: 3 * hourMs }),
		call(12, 11, { ...long, atMs: minutes(235) }),
		call(13, 11, { ...long, atMs: minutes(250) }),
		// Ancestors above a step that does not apply do not apply either.
		span(21, 0, { ...chain, ...names, ms: 5 * hourMs }),
		span(22, 21, chain),
		call(23, 22, { ...chain, atMs: minutes(200) }),
		call(32, 31, { ...late, atMs: minutes(55) }),
	)
	const counts = async () => [await callsOf({ session: 's1' }), await callsOf({ filter: ['metadata=blue'] })]
	expect(await counts()).toEqual([2, 2])
	await store(span(31, 0, { ...late, ...names }))
	expect(await counts()).toEqual([3, 3])
	for (let hour = 0; hour < 5; hour++) {
		const stretch = { startMs: startMs + hour * hourMs, endMs: startMs + (hour + 1) * hourMs }
		expect(await joinStretch(started.store, 'w1', stretch)).toBe(0)
	}
	await settle()
	expect(await counts()).toEqual([3, 3])
})

test('an ancestor that arrives later, and began hours before, applies in hours that are rolled up', async () => {
	const at = { atMs: 5 * hourMs }
	await store(call(2, 1, at), call(3, 1, at))
	await settle()
	expect(await callsOf({ session: 's1' })).toBe(0)
	await store(span(1, 0, { sessionId: 's1', ms: 6 * hourMs }))
	expect(await callsOf({ session: 's1' })).toBe(2)
	await settle()
	expect(await callsOf({ session: 's1' })).toBe(2)
	expect(await readOverview(started.store, 'w1', range, { model: 'gpt' })).toMatchObject({ sessions: 1 })
})

test('and in an hour that is rolled up in steps', async () => {
	const step = () => rollOpenHours(started.store, new AbortController().signal, { spans: 1, quietMs: 0 })
	const at = { atMs: 5 * hourMs }
	await store(call(2, 1, at), call(3, 1, at))
	await pause()
	await step()
	await store(span(1, 0, { userId: 'jane', ms: 6 * hourMs }))
	expect(await callsOf({ user: 'jane' })).toBe(2)
	expect(await readOverview(started.store, 'w1', range, { model: 'gpt' })).toMatchObject({ users: 1 })
	await pause()
	await step()
	expect(await callsOf({ user: 'jane' })).toBe(2)
	expect(await readOverview(started.store, 'w1', range, { model: 'gpt' })).toMatchObject({
		users: 1,
		calls: 2,
	})
})

const pause = () => new Promise((resolve) => setTimeout(resolve, 20))
async function settle(): Promise<void> {
	await pause()
	await rollDirtyHours(started.store, new AbortController().signal, { afterMs: 5 })
}
