import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestStore } from '../../../platform/clickhouse/testing.ts'
import { rollups, sumTables } from '../../../telemetry/index.ts'
import { findSpans } from '../../../telemetry/reads/span-repository.ts'
import { readOverview } from '../breakdowns.ts'
import {
	changedHours,
	compareAnswers,
	filters,
	hours,
	insertForBoth,
	rollUp,
	startMs,
	startRolledStore,
} from './differential.testing.ts'
import { createRandom, randomSpans } from './random-spans.testing.ts'
import { narrowOldRolls } from './roll-hours.ts'
import { dropOldRolls, findHours, rollHour } from './rollup-repository.ts'

let started: TestStore
beforeAll(async () => {
	started = await startRolledStore(1)
})
afterAll(() => started.close())

const range = { startMs: startMs - 3_600_000, endMs: startMs + (hours + 4) * 3_600_000 }
const clean = async (workspace = 'w1') =>
	(await findHours(started.store, workspace, range)).clean.map(({ startMs }) => startMs)

/** Spans of traces of their own. */
const newTraces = (seed: number, atMs: number) =>
	randomSpans(createRandom(seed), 20, atMs, 0.01).map((row) => ({
		...row,
		traceId: `f${seed}${row.traceId.slice(2)}`,
	}))

test('hours that are over are rolled up, and the adjacent ones, but not the hours of a workspace whose spans continue to arrive', async () => {
	expect((await clean()).length).toBeGreaterThanOrEqual(hours + 2)
	expect(await clean('w2')).toEqual([])
})

test('queries on rollups and spans together return the same as on spans alone', async () => {
	await compareAnswers(started.store, createRandom(2), 4)
})

test('the list of counted calls has as many rows as the figures say, rolled up or not', async () => {
	const { store } = started
	const texts: typeof filters = [{ filter: ['text~=gamma'] }, {}, { filter: ['text!~=BETA'] }]
	const all = [
		...texts,
		...new Set([...filters, { filter: ['user'] }, { filter: ['session!=s1', '!agent'] }]),
	]
	// The short form takes every second filter, in turn for the workspace that is rolled up and for the one that is not.
	const workspacesFor = (at: number) =>
		process.env.LONG_TESTS ? ['w1', 'w2'] : ([['w1'], [], ['w2'], []][at % 4] ?? [])
	for (const [at, filter] of all.entries())
		for (const workspace of workspacesFor(at)) {
			const { agent, server, user, session, ...same } = filter
			const named = { agent_uuid: agent, server_id: server, user_id: user, session_id: session }
			const given = Object.entries({ ...same, ...named }).filter(([, value]) => value !== undefined)
			const rowsOf = async (calls: 'counted' | 'counted_failed') => {
				const asked = { ...Object.fromEntries(given), calls }
				const page = { range, filter: asked, after: null, limit: 1000 }
				return (await findSpans(store, workspace, page)).rows.length
			}
			const { calls, errors } = await readOverview(store, workspace, range, filter)
			const asked = JSON.stringify([workspace, filter])
			expect([asked, await rowsOf('counted'), await rowsOf('counted_failed')]).toEqual([asked, calls, errors])
		}
})

test('a late span makes its hour and the adjacent ones dirty: they are read raw until they are rolled up again', async () => {
	const lateMs = startMs + 3 * 3_600_000
	await insertForBoth(started.store, newTraces(3, lateMs + 60_000))
	const dirty = await clean()
	for (const atMs of [lateMs - 3_600_000, lateMs, lateMs + 3_600_000]) expect(dirty).not.toContain(atMs)
	await compareAnswers(started.store, createRandom(4), 2)
	expect(await rollUp(started.store)).toBe(true)
	expect(await clean()).toContain(lateMs)
	await compareAnswers(started.store, createRandom(5), 2)
})

test('replaced rolls are deleted', async () => {
	const versions = () =>
		started.store.query<{ hour: string; rolls: string }>(
			"SELECT hour, uniqExact(version) AS rolls FROM counted_calls WHERE workspace_id = 'w1' GROUP BY hour HAVING rolls > 1",
		)
	expect(await versions()).not.toEqual([])
	await dropOldRolls(started.store)
	expect(await versions()).toEqual([])
	await compareAnswers(started.store, createRandom(6), 2)
})

test('rolls made before narrow sums existed are read from the wide ones until they have theirs, also after an interrupted attempt', async () => {
	const { store } = started
	const withNarrow = async () =>
		(await findHours(store, 'w1', range)).clean.filter(({ narrow }) => narrow !== undefined).length
	const all = (await clean()).length
	expect(await withNarrow()).toBe(all)
	const forget = () =>
		store.command(
			"ALTER TABLE call_hours UPDATE narrowed = (toUInt64(0), toUInt64(0)) WHERE workspace_id = 'w1' SETTINGS mutations_sync = 2",
		)
	const narrowAll = () => narrowOldRolls(store, new AbortController().signal)
	await store.command("ALTER TABLE narrow_sums DELETE WHERE workspace_id = 'w1' SETTINGS mutations_sync = 2")
	await forget()
	expect(await withNarrow()).toBe(0)
	await compareAnswers(store, createRandom(7), 4)
	expect(await narrowAll()).toBe(false)
	await forget()
	await compareAnswers(store, createRandom(8), 4)
	expect(await narrowAll()).toBe(false)
	expect(await withNarrow()).toBe(all)
	await compareAnswers(store, createRandom(9), 4)
	const versions = () =>
		store.query<{ most: number }>(
			"SELECT toUInt32(max(rolls)) AS most FROM (SELECT uniqExact(version) AS rolls FROM narrow_sums WHERE workspace_id = 'w1' GROUP BY hour)",
		)
	expect(await versions()).toEqual([{ most: 2 }])
	await dropOldRolls(store)
	expect(await versions()).toEqual([{ most: 1 }])
	await compareAnswers(store, createRandom(10), 4)
})

test('rolls made before sums of failures and by outcome existed are read from the wide ones for these, and get them', async () => {
	const { store } = started
	const few = async () =>
		(await findHours(store, 'w1', range)).clean.filter(({ lacksLaterSums }) => lacksLaterSums).length
	const rows = async () =>
		store.query<{ of: string }>(
			"SELECT DISTINCT toString(grouped_by) AS of FROM narrow_sums WHERE workspace_id = 'w1' AND grouped_by IN ('failures', 'outcome') ORDER BY of",
		)
	expect(await few()).toBe(0)
	expect(await rows()).toEqual([{ of: 'failures' }, { of: 'outcome' }])
	await store.command(
		"ALTER TABLE narrow_sums DELETE WHERE workspace_id = 'w1' AND grouped_by IN ('failures', 'outcome') SETTINGS mutations_sync = 2",
	)
	await store.command(
		`INSERT INTO call_hours (workspace_id, hour, few_ms)
		SELECT workspace_id, hour, max(narrowed).version FROM call_hours WHERE workspace_id = 'w1' GROUP BY workspace_id, hour`,
	)
	expect(await few()).toBe((await clean()).length)
	await compareAnswers(store, createRandom(13), 8)
	expect(await narrowOldRolls(store, new AbortController().signal)).toBe(false)
	expect(await few()).toBe(0)
	expect(await rows()).toEqual([{ of: 'failures' }, { of: 'outcome' }])
	await compareAnswers(store, createRandom(14), 8)
	await dropOldRolls(store)
	await compareAnswers(store, createRandom(15), 2)
})

test('rolls made before calls had an index of attributes, or sessions an end, are not read for these, and are made again', async () => {
	const { store } = started
	const complete = async () => (await findHours(store, 'w1', range, { complete: true })).clean.length
	const all = (await clean()).length
	expect(await complete()).toBe(all)
	await store.command(
		"ALTER TABLE counted_calls UPDATE attribute_tokens = [] WHERE workspace_id = 'w1' SETTINGS mutations_sync = 2",
	)
	await store.command(
		"ALTER TABLE actor_sums UPDATE ended_ns = 0 WHERE workspace_id = 'w1' SETTINGS mutations_sync = 2",
	)
	await store.command(
		`INSERT INTO call_hours (workspace_id, hour, plain_ms)
		SELECT workspace_id, hour, max(rolled_ms) FROM call_hours WHERE workspace_id = 'w1' GROUP BY workspace_id, hour`,
	)
	expect(await complete()).toBe(0)
	expect((await clean()).length).toBe(all)
	await compareAnswers(store, createRandom(11), 8)
	await rollUp(store)
	expect(await complete()).toBe(all)
	await compareAnswers(store, createRandom(12), 8)
})

test('a rolled-up call is found by its own attribute, not by one of that name in its resource', async () => {
	const isValue = (value: string) =>
		`has(attribute_tokens, reinterpretAsFixedString(cityHash64('region', '${value}')))`
	const [found] = await started.store.query<{ own: string; other: string }>(
		`SELECT countIf(${isValue('us-1')}) AS own, countIf(${isValue('eu-1')}) AS other FROM counted_calls AS c
		INNER JOIN (SELECT trace_id, span_id FROM spans WHERE workspace_id = 'w1' AND attributes['region'] = 'us-1') AS s
			ON c.trace_id = s.trace_id AND c.span_id = s.span_id
		WHERE c.workspace_id = 'w1'`,
	)
	expect([Number(found?.own) > 100, Number(found?.other)]).toEqual([true, 0])
})

test('spans are joined on arrival in the same way as when everything is joined again', () => {
	expect(changedHours).toEqual([])
})

test('calls from before they had hashes of sessions and users are counted by these all the same', async () => {
	const { store } = started
	const ask = (workspace: string) => readOverview(store, workspace, range, { filter: ['env=prod'] })
	const expected = await ask('w2')
	expect([expected.sessions, expected.users].every((count) => count > 0)).toBe(true)
	expect(await ask('w1')).toEqual(expected)
	await store.command(
		'ALTER TABLE counted_calls DROP COLUMN session_key, DROP COLUMN user_key SETTINGS mutations_sync = 2',
	)
	for (const statement of sumTables.addCallKeys) await store.command(statement)
	expect(await ask('w1')).toEqual(expected)
})

test('rolls made by a clock that has since been set back are forgotten: what arrives now is counted', async () => {
	const { store } = started
	const versionAhead = Date.now() + 86_400_000
	const [ofLast = 0] = (await clean()).toReversed()
	await rollHour(store, { workspaceId: 'w1', startMs: ofLast, version: versionAhead, rolledBefore: true })
	await insertForBoth(store, newTraces(6, ofLast))
	const forget = () => rollups.forgetFutureRolls(store)
	expect([await forget(), await forget()]).toEqual([true, false])
	expect(await clean()).not.toContain(ofLast)
	const answers = async () =>
		Promise.all(['w1', 'w2'].map((workspace) => readOverview(store, workspace, range)))
	const [before, raw] = await answers()
	expect(before).toEqual(raw)
	await rollUp(store)
	expect(await clean()).toContain(ofLast)
	expect(await answers()).toEqual([raw, raw])
})
