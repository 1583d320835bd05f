import { randomUUID } from 'node:crypto'
import type { TelemetryStore } from '../../../platform/clickhouse/index.ts'
import {
	encodeTraceLink,
	readStore,
	rollups,
	traceLinkColumnNames,
	traceLinks,
} from '../../../telemetry/index.ts'
import { isJoinable, isMixed, rankOf } from './seen-spans-repository.ts'

type Store = Pick<TelemetryStore, 'query'>

/** What is asked each second reads little: a second thread costs a fifth more processor time, and nobody waits for the answer. */
const inOneThread = 'SETTINGS max_threads = 1'

/** How many spans were stored at each moment of the last time, in milliseconds, and the engine's own time. */
export async function findStored(
	store: Store,
	forS: number,
): Promise<{ nowMs: number; stored: Map<string, string> }> {
	const rows = await readStore(() =>
		store.query<{ at: string; spans: string; now: string }>(
			`SELECT toString(toUnixTimestamp64Milli(stored_at)) AS at, toString(count()) AS spans, toString(${rollups.nowMs}) AS now FROM spans
			WHERE stored_at >= now64(3) - toIntervalSecond({for:UInt32}) GROUP BY stored_at ${inOneThread}`,
			{ for: forS },
		),
	)
	return { nowMs: Number(rows[0]?.now ?? 0), stored: new Map(rows.map(({ at, spans }) => [at, spans])) }
}

/** Spans that were stored at certain moments, or since one. */
export const arrivedAt = `(stored_at >= fromUnixTimestamp64Milli({from_stored:Int64}, 'UTC') AND stored_at <= fromUnixTimestamp64Milli({to_stored:Int64}, 'UTC')
	AND toUnixTimestamp64Milli(stored_at) IN {stored:Array(Int64)})`
export function arrivedParameters(arrived: readonly number[]): Record<string, unknown> {
	const inOrder = arrived.toSorted((a, b) => a - b)
	return { from_stored: inOrder[0], to_stored: inOrder.at(-1), stored: inOrder }
}
export const storedSince = "stored_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')"

/** What came of a trace: when its spans began, to which time they may say something about calls, and how long the longest lasted. */
export type ArrivedTrace = Record<
	'workspace' | 'trace' | 'first' | 'last' | 'reaches' | 'longest',
	string
> & {
	/** Whether several of its spans came, calls among them. */
	several: 0 | 1
	/** Of its calls: kind, source, scope, rank. */
	sides: [string, string, string, number][]
}

export function findArrivedTraces(store: Store, arrived: readonly number[]): Promise<ArrivedTrace[]> {
	const ms = (time: string) => `toString(toUnixTimestamp64Milli(${time}))`
	const end = `if(${rollups.isLong}, started_at + toIntervalSecond(least(intDiv(duration_ns, 1000000000), ${rollups.longestReachS})), started_at)`
	return readStore(() =>
		store.query<ArrivedTrace>(
			`SELECT workspace_id AS workspace, lower(hex(trace_id)) AS trace, ${ms('min(started_at)')} AS first, ${ms('max(started_at)')} AS last, ${ms(`max(${end})`)} AS reaches,
				toString(least(intDiv(max(duration_ns), 1000000), ${rollups.longestReachS}000)) AS longest, toUInt8(count() > 1 AND countIf(${isJoinable}) > 0) AS several,
				groupUniqArrayIf((toString(kind), source, scope_name, ${rankOf}), kind IN ('tool_call', 'model_call')) AS sides
			FROM spans WHERE ${arrivedAt} GROUP BY workspace_id, trace_id ${inOneThread}`,
			arrivedParameters(arrived),
		),
	)
}

/**
 * Which of the traces that came have calls that may have several views, or lack what another span says. A query of its own: its
 * sums cost several times what all else about a trace does, and say nothing of a trace of which no call came. Spans of a kind lie
 * together, so that hardly more is read than the traces of the calls.
 */
export async function findMixedArrivals(
	store: Store,
	arrived: readonly number[],
): Promise<(trace: Pick<ArrivedTrace, 'workspace' | 'trace'>) => boolean> {
	const key = (one: Pick<ArrivedTrace, 'workspace' | 'trace'>) => `${one.workspace} ${one.trace}`
	const rows = await readStore(() =>
		store.query<Pick<ArrivedTrace, 'workspace' | 'trace'>>(
			`SELECT workspace_id AS workspace, lower(hex(trace_id)) AS trace FROM spans
			PREWHERE ${arrivedAt} AND trace_id IN (SELECT trace_id FROM spans WHERE ${arrivedAt} AND ${isJoinable})
			GROUP BY workspace_id, trace_id HAVING ${isMixed} ${inOneThread}`,
			arrivedParameters(arrived),
		),
	)
	const mixed = new Set(rows.map(key))
	return (trace) => mixed.has(key(trace))
}

/** Who recorded calls of one kind in a workspace. */
export interface Side {
	workspace: string
	kind: string
	source: string
	scope: string
	rank: number
}
export function findSides(store: Store, sinceMs: number): Promise<Side[]> {
	return readStore(() =>
		store.query<Side>(
			`SELECT DISTINCT workspace_id AS workspace, toString(kind) AS kind, source, scope_name AS scope, ${rankOf} AS rank FROM spans
			WHERE ${storedSince} AND kind IN ('tool_call', 'model_call')`,
			{ since: sinceMs },
		),
	)
}
export const sidesOf = ({ workspace, sides }: ArrivedTrace): Side[] =>
	sides.map(([kind, source, scope, rank]) => ({ workspace, kind, source, scope, rank }))

/** The hours about which arrived spans of a workspace say something, the newest first, in milliseconds. */
export async function findHoursOf(store: Store, parameters: Record<string, unknown>): Promise<number[]> {
	const arrived = `spans WHERE workspace_id = {workspace:String} AND ${arrivedAt}`
	const rows = await readStore(() =>
		store.query<{ at: string }>(
			`SELECT DISTINCT toString(toUnixTimestamp(hour)) AS at FROM (${rollups.marksOf(arrived, '0')}) ORDER BY at DESC`,
			parameters,
		),
	)
	return rows.map(({ at }) => Number(at) * 1000)
}

export interface TraceLink {
	retentionDays: number
	startS: number
	traces: readonly [string, string]
}

export async function writeLinks(
	store: Pick<TelemetryStore, 'insertRowBinary'>,
	workspaceId: string,
	links: readonly TraceLink[],
): Promise<void> {
	const distinct = new Map(links.map((link) => [link.traces.join(' '), link]))
	if (distinct.size === 0) return
	await store.insertRowBinary({
		table: traceLinks,
		columns: traceLinkColumnNames,
		rows: [...distinct.values()].map((link) => encodeTraceLink({ workspaceId, ...link })),
		deduplicationToken: `links-${randomUUID()}`,
	})
}

/** A recorded call of a tool, with the id of the use that a model asked for. Numbers as text. */
export interface NamedUse {
	trace: string
	use: string
	start_s: string
	days: string
}

/** Shorter ids (`call_1`) come again in other sessions. */
const leastIdLength = 16
const toolUse = `arrayFirst(v -> v != '', [attributes['gen_ai.tool.call.id'], attributes['ai.toolCall.id']])`

/** Of the calls for which a condition of ours holds. */
export function findUses(
	store: Pick<TelemetryStore, 'query'>,
	where: string,
	parameters: Record<string, unknown>,
): Promise<NamedUse[]> {
	return readStore(() =>
		store.query<NamedUse>(
			`SELECT DISTINCT lower(hex(trace_id)) AS trace, ${toolUse} AS use, toString(toUnixTimestamp(started_at)) AS start_s, toString(retention_days) AS days
			FROM spans WHERE workspace_id = {workspace:String} AND kind = 'tool_call' AND ${where} AND length(use) >= ${leastIdLength}`,
			parameters,
		),
	)
}

/** The traces of the model calls, through the proxy, that asked for these uses; those of which nothing is known are absent. */
export async function findAskingTraces(
	store: Pick<TelemetryStore, 'query'>,
	workspaceId: string,
	uses: readonly NamedUse[],
): Promise<Map<string, string>> {
	const starts = uses.map(({ start_s }) => Number(start_s))
	const rows = await readStore(() =>
		store.query<{ use: string; trace: string }>(
			`SELECT use, lower(hex(any(trace_id))) AS trace FROM exchanges ARRAY JOIN tool_use_id AS use
			WHERE workspace_id = {workspace:String} AND recorded_at >= fromUnixTimestamp64Milli({first:Int64}, 'UTC') - INTERVAL 1 HOUR
				AND recorded_at <= fromUnixTimestamp64Milli({last:Int64}, 'UTC') + INTERVAL 1 MINUTE AND use IN {uses:Array(String)}
			GROUP BY use HAVING uniqExact(trace_id) = 1`,
			{
				...{ workspace: workspaceId, uses: [...new Set(uses.map(({ use }) => use.toWellFormed()))] },
				...{ first: Math.min(...starts) * 1000, last: (Math.max(...starts) + 1) * 1000 },
			},
		),
	)
	return new Map(rows.map(({ use, trace }) => [use, trace]))
}
