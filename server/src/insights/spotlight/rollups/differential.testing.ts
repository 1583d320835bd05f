import { expect } from 'vitest'
import type { TelemetryStore } from '../../../platform/clickhouse/store.ts'
import type { TestStore } from '../../../platform/clickhouse/testing.ts'
import { spanInsert } from '../../../telemetry/blocks/native.testing.ts'
import type { SpanRow } from '../../../telemetry/index.ts'
import {
	type BreakdownWanted,
	groupings,
	presentGroup,
	readBreakdown,
	readOverview,
	sortExpressions,
} from '../breakdowns.ts'
import type { CallFilter } from '../call-filter.ts'
import type { QueryStore } from '../counted-calls.ts'
import { startJoinedStore } from '../joined-store.testing.ts'
import { readFacets } from '../spotlight.ts'
import { readTimeseries } from '../timeseries.ts'
import { KeptBuckets } from './plan-reads.ts'
import { createRandom, type Random, randomSpans, randomViews } from './random-spans.testing.ts'
import { rollDirtyHours } from './roll-hours.ts'

export const startMs = Date.parse('2026-06-01T00:00:00Z')
export const hours = 6

/** Two workspaces with the same spans; the hours of `w1` are rolled up, those of `w2` are not. */
export async function startRolledStore(seed: number): Promise<TestStore> {
	const started = await startJoinedStore()
	await insertForBoth(started.store, randomSpans(createRandom(seed), 250, startMs, hours))
	await insertForBoth(started.store, randomViews(createRandom(seed + 100), 250, startMs, hours))
	await rollUp(started.store)
	return started
}

let batches = 0
export async function insertForBoth(store: TelemetryStore, rows: readonly SpanRow[]): Promise<void> {
	await store.insertRowBinary({
		...spanInsert(rows.flatMap((row) => [row, { ...row, workspaceId: 'w2' }])),
		deduplicationToken: `b${++batches}`,
	})
}

/** Hours whose calls were joined differently than on arrival; there should be none. */
export const changedHours: { startMs: number; calls: number }[] = []

/** Marks all of `w2` as still changing, and rolls up the rest. */
export async function rollUp(store: TelemetryStore): Promise<boolean> {
	await store.command(
		`INSERT INTO call_hours (workspace_id, hour, marked_ms, changed_ms)
		SELECT workspace_id, hour, toUnixTimestamp64Milli(now64(3)) + 86400000 AS ahead, ahead FROM call_hours WHERE workspace_id = 'w2' GROUP BY workspace_id, hour`,
	)
	await new Promise((resolve) => setTimeout(resolve, 20))
	const tellChanged = ({ startMs }: { startMs: number }, calls: number) =>
		changedHours.push({ startMs, calls })
	return rollDirtyHours(store, new AbortController().signal, { afterMs: 5, tellChanged })
}

export const filters: readonly CallFilter[] = [
	...Array<CallFilter>(6).fill({}),
	...[{ kind: 'tool_call' }, { status: 'error' }, { agent: 'a1' }, { server: 'v1' }, { tool: 'search' }],
	...[{ provider: 'openai' }, { model: 'm1' }, { user: 'jane' }, { session: 's1' }, { client: 'cli/2' }],
	{ error_type: 'timeout', kind: 'model_call' },
	...['env=prod', 'env!=prod', 'env', '!env', 'region=eu-1'].map((condition) => ({ filter: [condition] })),
	...['langfuse.trace.tags=beta', 'langfuse.trace.tags!=beta'].map((condition) => ({ filter: [condition] })),
	{ filter: ['env=prod', 'region~=eu'], kind: 'tool_call' },
	{ filter: ['env=prod', 'user'], client: 'cli/1' },
]

const facetFields = ['kind', 'status', 'error_type', 'model', 'agent', 'tool', 'user']

const asking = new WeakMap<TelemetryStore, QueryStore>()

/** Queries as the program does: what was read before is cached. */
function askingOf(store: TelemetryStore): QueryStore {
	const known = asking.get(store) ?? { query: store.query, keptBuckets: new KeptBuckets() }
	asking.set(store, known)
	return known
}

/** Runs the same queries in both workspaces, `times` times or half as often in the short form, and expects the same answers. */
export async function compareAnswers(stored: TelemetryStore, random: Random, times: number): Promise<void> {
	const store = askingOf(stored)
	const most = process.env.LONG_TESTS ? times : times / 2
	for (let asked = 0; asked < most; asked++) {
		const ask = randomQuestion(store, random)
		const [rolled, raw] = await Promise.all([ask.of('w1'), ask.of('w2')])
		expect(rolled, ask.words).toEqual(raw)
	}
}

function randomQuestion(store: QueryStore, random: Random) {
	const pick = <T>(of: readonly T[]): T => of[random(of.length)] as T
	const unit = pick([1, 60_000, 3_600_000])
	const fromMs = startMs + random((hours * 3_600_000) / unit) * unit - pick([0, 3_600_000])
	const range = { startMs: fromMs, endMs: fromMs + pick([600_000, 3_600_000, 7_200_000, 6 * 3_600_000]) }
	const filter = pick(filters)
	const noun = pick([
		'overview',
		'timeseries',
		'facets',
		'errors',
		...(Object.keys(groupings) as (keyof typeof groupings)[]),
	])
	const sort = pick(Object.keys(sortExpressions) as (keyof typeof sortExpressions)[])
	const words = JSON.stringify({ noun, sort, range, filter })
	if (noun === 'overview')
		return { words, of: (workspace: string) => readOverview(store, workspace, range, filter) }
	if (noun === 'timeseries') {
		const asked = {
			intervalMs: pick([undefined, 3_600_000, 7_200_000]),
			groupBy: pick([[], ['tool'], ['user']]),
		}
		return { words, of: (workspace: string) => readTimeseries(store, workspace, range, filter, asked) }
	}
	if (noun === 'facets') {
		const asked = { fields: facetFields, of: 'calls', limit: 20, ...filter } as Parameters<
			typeof readFacets
		>[3]
		return { words, of: (workspace: string) => readFacets(store, workspace, range, asked) }
	}
	const by = noun as keyof typeof groupings
	const query = { ...filter, sort, limit: 50 } as BreakdownWanted<object>['query']
	const present: BreakdownWanted<object>['present'] = (sums) => presentGroup[by](sums)
	return {
		words,
		of: (workspaceId: string): Promise<object> =>
			readBreakdown(store, { workspaceId, range, noun: by, query, present }),
	}
}
