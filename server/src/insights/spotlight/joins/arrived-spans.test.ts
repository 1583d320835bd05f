import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestStore } from '../../../platform/clickhouse/testing.ts'
import { systemClock } from '../../../platform/clock.ts'
import { insertSpanBlocks, spanBlocksOf } from '../../../telemetry/blocks/native.testing.ts'
import { type ArrivedSpans, arrivedSpansIn, newSpanRow, type SpanRow } from '../../../telemetry/index.ts'
import { startTelemetryStore } from '../../../telemetry/store.testing.ts'
import { createRandom, type Random, randomSpans, randomViews } from '../rollups/random-spans.testing.ts'
import { Joiner } from './join-arrived.ts'
import { findArrived, type WorkspaceArrivals } from './join-repository.ts'
import { joinStretch } from './join-spans.ts'

let started: TestStore
beforeAll(async () => {
	started = await startTelemetryStore()
})
afterAll(() => started.close())

const startMs = Date.parse('2026-06-01T00:00:00Z')

/** Spans in which each property that makes a trace mixed occurs separately and rarely. */
function rareSpans(random: Random): SpanRow[] {
	const rarely = <T>(value: T, other: T) => (random(12) === 0 ? value : other)
	return Array.from({ length: 400 }, (_, at) =>
		newSpanRow({
			...{ workspaceId: 'w1', name: 'call', status: 'ok', source: 'otlp' },
			traceId: (10_000 + random(150)).toString(16).padStart(32, 'c'),
			spanId: (at + 1).toString(16).padStart(16, 'd'),
			parentSpanId: rarely((random(400) + 1).toString(16).padStart(16, 'd'), ''),
			kind: rarely('tool_call', rarely('mcp', rarely('model_call', 'other'))),
			scopeName: rarely('b', 'a'),
			otlpKind: rarely(2, 1),
			sessionId: rarely('s', rarely('inferred:1', '')),
			userId: rarely('jane', ''),
			agentName: rarely('helper', ''),
			startNs: BigInt(startMs + random(1000)) * 1_000_000n + BigInt(random(1_000_000)),
			durationNs: rarely(90_000_000_000_000n, BigInt(random(5_000_000))) * BigInt(1 + random(2)),
			attributes: new Map([
				['gen_ai.response.id', `response-${random(40)}-of-the-model`],
				[rarely('langfuse.trace.name', 'other'), 'x'],
				[rarely('metadata', 'http.route'), 'y'],
			]),
		}),
	)
}

/** The order of traces and sides has no meaning, and each row of the store's answer has its sides. */
function inOrder(arrived: ReadonlyMap<string, WorkspaceArrivals>) {
	return [...arrived].map(([workspace, { traces, sides }]) => ({
		workspace,
		traces: traces.toSorted((a, b) => (a.trace < b.trace ? -1 : 1)),
		sides: [...new Set(sides.map((side) => JSON.stringify(Object.entries(side).sort())))].sort(),
	}))
}

test.each([1, 2, 3, 4])("facts derived from blocks equal the store's answer (%i)", async (seed) => {
	const random = createRandom(seed)
	const rows = [
		...randomSpans(random, 60, startMs, 3),
		...randomViews(random, 120, startMs, 3),
		...rareSpans(random),
	].map((row) => ({ ...row, workspaceId: 'w1' }))
	const blocks = spanBlocksOf(rows, 1 + random(200))
	await started.store.command('TRUNCATE TABLE spans')
	await insertSpanBlocks(started.store, blocks, `facts-${seed}`)
	const [stored] = await started.store.query<{ at: string; rows: string }>(
		'SELECT toString(toUnixTimestamp64Milli(max(stored_at))) AS at, toString(count()) AS rows FROM spans',
	)
	const moments = [{ storedMs: Number(stored?.at), rows: Number(stored?.rows) }]
	const facts = arrivedSpansIn(blocks) as ArrivedSpans[]
	const [asked, answered] = await Promise.all([
		findArrived(started.store, moments, () => facts),
		findArrived(started.store, moments),
	])
	expect(rows.length).toBe(moments[0]?.rows)
	expect(inOrder(asked)).toEqual(inOrder(answered))
	const mixed = asked.get('w1')?.traces.filter(({ isMixed }) => isMixed).length ?? 0
	expect(mixed).toBeGreaterThan(20)
	expect(mixed).toBeLessThan((asked.get('w1')?.traces.length ?? 0) - 20)
})

test("facts derived from some blocks are merged with the store's answer for the others", async () => {
	const random = createRandom(5)
	const rows = [...randomSpans(random, 60, startMs, 3), ...randomViews(random, 120, startMs, 3)]
	const parts = Map.groupBy(rows, () => random(6))
	await started.store.command('TRUNCATE TABLE spans')
	const facts = new Map<number, ArrivedSpans[] | undefined>()
	let taken = 0
	const joiner = new Joiner(started.store, systemClock, 'us', (_storedMs, count) => {
		const arrived = facts.get(count) ?? null
		facts.delete(count)
		if (arrived) taken++
		return arrived
	})
	for (const [part, own] of parts) {
		const blocks = spanBlocksOf(
			own.map((row) => ({ ...row, workspaceId: 'facts' })),
			7,
		)
		// The store is queried for one part, as after a restart.
		if (part !== 2) facts.set(own.length, arrivedSpansIn(blocks))
		await insertSpanBlocks(started.store, blocks, `parts-${part}`)
		await joiner.join()
	}
	expect(taken).toBe(parts.size - 1)
	const hourMs = 3_600_000
	for (let hour = -1; hour < 7; hour++) {
		const range = { startMs: startMs + hour * hourMs, endMs: startMs + (hour + 1) * hourMs }
		expect(await joinStretch(started.store, 'facts', range), `hour ${hour}`).toBe(0)
	}
	await started.store.command('TRUNCATE TABLE call_joins')
	const all = { startMs: startMs - hourMs, endMs: startMs + 9 * hourMs }
	expect(await joinStretch(started.store, 'facts', all)).toBeGreaterThan(50)
}, 60_000)
