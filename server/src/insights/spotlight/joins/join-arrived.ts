import type { TelemetryStore } from '../../../platform/clickhouse/index.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import { readStore, rollups } from '../../../telemetry/index.ts'
import { aboveStretches, stretchParameters } from '../counted-calls.ts'
import { findRelated, hourOf, joinStretch, rowsOf, writeChanges } from './join-spans.ts'
import { findJoins, type Look } from './seen-spans-repository.ts'
import { placeOf } from './view.ts'

type Store = Pick<TelemetryStore, 'query' | 'command'>

/** Rows of one insert have one time of storage. An insert takes a while, so that its rows may be seen so long after that time. */
const slowestInsertS = 60
/** What an earlier life of the program may have left. */
const leftByEarlierS = 600
const hourMs = 3_600_000
/** What a span says is about calls so near to it, or beneath it. */
const reachMs = 40 * 60_000
/** What is spread over more than this is joined hour by hour. */
const widestMs = 12 * hourMs

/**
 * Joins the calls of whatever was stored since the last time, together with those that they may change. Who calls it again while it runs gets a run that begins afterwards.
 */
export function joinArrived(store: Store): () => Promise<Joined> {
	let seen: ReadonlyMap<string, string> | null = null
	let running: Promise<unknown> = Promise.resolve()
	const run = async (): Promise<Joined> => {
		const stored = await findStored(store, seen ? slowestInsertS : leftByEarlierS)
		const known = seen
		const arrived = [...stored].filter(([at, rows]) => known?.get(at) !== rows).map(([at]) => at)
		let changed = 0
		if (arrived.length > 0)
			for (const core of await findCores(store, arrived)) changed += await joinCore(store, core, arrived)
		seen = stored
		return { arrived: arrived.length > 0, changed }
	}
	return () => {
		const next = running.catch(() => null).then(run)
		running = next
		return next
	}
}

export interface Joined {
	/** Whether anything was stored. */
	arrived: boolean
	/** So many calls are known otherwise now. */
	changed: number
}

/** How many spans were stored at each moment, in milliseconds. */
async function findStored(store: Store, forS: number): Promise<Map<string, string>> {
	const rows = await readStore(() =>
		store.query<{ at: string; spans: string }>(
			`SELECT toString(toUnixTimestamp64Milli(stored_at)) AS at, toString(count()) AS spans FROM spans
			WHERE stored_at >= now64(3) - toIntervalSecond({for:UInt32}) GROUP BY stored_at`,
			{ for: forS },
		),
	)
	return new Map(rows.map(({ at, spans }) => [at, spans]))
}

/** What was stored of one workspace. */
interface Core extends TimeRange {
	workspaceId: string
	/** To this time it may say something about calls. */
	reachesMs: number
}

const arrivedAt = `stored_at >= fromUnixTimestamp64Milli({from_stored:Int64}, 'UTC') AND stored_at <= fromUnixTimestamp64Milli({to_stored:Int64}, 'UTC')
	AND toUnixTimestamp64Milli(stored_at) IN {stored:Array(Int64)}`
function arrivedParameters(arrived: readonly string[]): Record<string, unknown> {
	const inOrder = arrived.map(Number).sort((a, b) => a - b)
	return { from_stored: inOrder[0], to_stored: inOrder.at(-1), stored: inOrder }
}

async function findCores(store: Store, arrived: readonly string[]): Promise<Core[]> {
	const ms = (time: string) => `toString(toUnixTimestamp64Milli(${time}))`
	const end = `if(${rollups.isLong}, started_at + toIntervalSecond(least(intDiv(duration_ns, 1000000000), ${rollups.longestReachS})), started_at)`
	const rows = await readStore(() =>
		store.query<Record<'workspace' | 'first' | 'last' | 'reaches', string>>(
			`SELECT workspace_id AS workspace, ${ms('min(started_at)')} AS first, ${ms('max(started_at)')} AS last, ${ms(`max(${end})`)} AS reaches
			FROM spans WHERE ${arrivedAt} GROUP BY workspace_id`,
			arrivedParameters(arrived),
		),
	)
	return rows.map(({ workspace, first, last, reaches }) => ({
		...{
			workspaceId: workspace,
			startMs: Number(first),
			endMs: Number(last) + 1,
			reachesMs: Number(reaches) + 1,
		},
	}))
}

async function joinCore(store: Store, core: Core, arrived: readonly string[]): Promise<number> {
	const { workspaceId, startMs, endMs, reachesMs } = core
	if (endMs - startMs > widestMs) return joinHours(store, core, arrived)
	const decidedIn = { startMs: startMs - reachMs, endMs: reachesMs + reachMs }
	const parameters = {
		...stretchParameters(workspaceId, [{ startMs, endMs }], {
			reach: [{ startMs: startMs - hourMs / 2, endMs: reachesMs + hourMs / 2 }],
		}),
		...arrivedParameters(arrived),
	}
	const look: Look = {
		core: `workspace_id = {workspace:String} AND ${arrivedAt}`,
		...aboveStretches(1),
		parameters,
	}
	const { spans, decided } = await findRelated(store, workspaceId, look)
	if (decided.size === 0) return 0
	const isDecided = ({ trace, startUs }: { trace: string; startUs: number }) =>
		decided.has(trace) && startUs >= decidedIn.startMs * 1000 && startUs < decidedIn.endMs * 1000
	const hours = { first: hourOf(decidedIn.startMs * 1000), last: hourOf(decidedIn.endMs * 1000) }
	const known = await findJoins(store, workspaceId, hours, [...decided])
	return writeChanges(store, workspaceId, {
		known: known.filter(([, , start, trace = '', span = '']) => {
			return isDecided({ trace, startUs: Number(start) }) && spans.has(placeOf({ trace, span }))
		}),
		rows: rowsOf(spans, isDecided),
	})
}

/** The same of spans of many days: their hours and those beside them are joined anew. */
async function joinHours(store: Store, { workspaceId }: Core, arrived: readonly string[]): Promise<number> {
	const rows = await readStore(() =>
		store.query<{ at: string }>(
			`SELECT DISTINCT toString(toUnixTimestamp(hour)) AS at FROM (${rollups.marksOf(`spans WHERE workspace_id = {workspace:String} AND ${arrivedAt}`, '0')}) ORDER BY hour DESC`,
			{ workspace: workspaceId, ...arrivedParameters(arrived) },
		),
	)
	let changed = 0
	for (const { at } of rows) {
		const startMs = Number(at) * 1000
		changed += await joinStretch(store, workspaceId, { startMs, endMs: startMs + hourMs })
	}
	return changed
}
