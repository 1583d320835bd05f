import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestStore } from '../../../platform/clickhouse/testing.ts'
import { markHoursOf } from '../../../telemetry/index.ts'
import type { CallFilter } from '../call-filter.ts'
import type { KnownRolls, QueryStore } from '../counted-calls.ts'
import { readTimeseries } from '../timeseries.ts'
import { hours, insertForBoth, rollUp, startMs, startRolledStore } from './differential.testing.ts'
import { shareRolls } from './plan-query.ts'
import { KeptBuckets } from './plan-reads.ts'
import { createRandom, randomSpans } from './random-spans.testing.ts'

let started: TestStore
beforeAll(async () => {
	started = await startRolledStore(21)
})
afterAll(() => started.close())

const range = { startMs: startMs + 1_800_000, endMs: startMs + (hours - 1) * 3_600_000 + 600_000 }
const lateMs = startMs + 3 * 3_600_000
const asked: { filter: CallFilter; intervalMs: number }[] = [
	{ filter: {}, intervalMs: 3_600_000 },
	{ filter: { user: 'jane' }, intervalMs: 7_200_000 },
	{ filter: {}, intervalMs: 900_000 },
	{ filter: { filter: ['env=prod'] }, intervalMs: 1_800_000 },
]

/** Rolls that its statements read. */
let read = new Set<number>()
const keeping: QueryStore = {
	query: (sql, parameters = {}) => {
		const names = Object.keys(parameters).filter((name) => /^(whole|narrow|parts)_hours$/.test(name))
		for (const name of names) for (const hour of parameters[name] as number[]) read.add(hour)
		return started.store.query(sql, parameters)
	},
	keptBuckets: new KeptBuckets(),
}

/** Queries with cached buckets, and without in a workspace that has no rolls; returns the number of hours that were read. */
async function compare({ filter, intervalMs }: (typeof asked)[number]): Promise<number> {
	read = new Set()
	const kept = await readTimeseries(keeping, 'w1', range, filter, { intervalMs })
	const { length } = [...read]
	expect(kept).toEqual(await readTimeseries(started.store, 'w2', range, filter, { intervalMs }))
	return length
}

const compareAll = async () => {
	const counts: number[] = []
	for (const one of asked) counts.push(await compare(one))
	return counts
}

test('when a time series is queried again, only hours that the range cuts are read', async () => {
	for (const count of await compareAll()) expect(count).toBeGreaterThanOrEqual(hours - 1)
	const again = await compareAll()
	// With buckets of two hours, the hours next to those that are cut are read too.
	expect(again.map((count, at) => count <= (at === 1 ? 4 : 2))).toEqual([true, true, true, true])
})

test('spans that arrive late for cached hours are counted, before and after these are rolled up again', async () => {
	const late = randomSpans(createRandom(3), 20, lateMs + 60_000, 0.01)
	await insertForBoth(
		started.store,
		late.map((row) => ({ ...row, traceId: `f${row.traceId.slice(1)}` })),
	)
	await compareAll()
	await rollUp(started.store)
	await compareAll()
	await compareAll()
})

test('deleted spans are no longer counted', async () => {
	const { store } = started
	const gone = "hex(trace_id) LIKE 'F%'"
	await markHoursOf(store, `workspace_id = 'w1' AND ${gone}`, {})
	await store.command(`ALTER TABLE spans DELETE WHERE ${gone} SETTINGS mutations_sync = 2`)
	await store.command(
		`ALTER TABLE counted_calls DELETE WHERE workspace_id = 'w1' AND hour IN (SELECT hour FROM call_hours WHERE workspace_id = 'w1' GROUP BY hour
			HAVING max(changed_ms) > toUnixTimestamp64Milli(now64(3))) SETTINGS mutations_sync = 2`,
	)
	await compareAll()
})

test('the rolls found by one query are shared until figures may have changed, for a second at most', async () => {
	const now = { ms: 0, version: 1 as number | null }
	const share = shareRolls(() => now.version, { nowMs: () => now.ms })
	let times = 0
	const ask = (from = 0, complete = false) =>
		share({ workspaceId: 'w1', range: { startMs: from, endMs: 100 }, complete }, async () => {
			times++
			return {} as KnownRolls
		})
	const asksAgain = async (...of: Parameters<typeof ask>) => {
		const before = times
		await ask(...of)
		return times > before
	}
	expect(await asksAgain()).toBe(true)
	expect(await asksAgain()).toBe(false)
	expect(await asksAgain(50)).toBe(false)
	expect(await asksAgain(-50)).toBe(true)
	expect(await asksAgain(0, true)).toBe(true)
	now.version = 2
	expect(await asksAgain()).toBe(true)
	expect(await asksAgain()).toBe(false)
	await markHoursOf(started.store, "workspace_id = 'nobody'", {})
	expect(await asksAgain()).toBe(true)
	now.ms += 1000
	expect(await asksAgain()).toBe(true)
	now.version = null
	expect(await asksAgain()).toBe(true)
	expect(await asksAgain()).toBe(true)
})
