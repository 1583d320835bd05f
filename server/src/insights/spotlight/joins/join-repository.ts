import { randomUUID } from 'node:crypto'
import type { TelemetryStore } from '../../../platform/clickhouse/store.ts'
import {
	type ArrivedSpans,
	encodeTraceLink,
	type RecordedSide,
	readStore,
	rollups,
	traceLinkColumnNames,
	traceLinks,
} from '../../../telemetry/index.ts'
import { isJoinable, isMixed, minUseLength, rankOf, toolUse } from './seen-spans-repository.ts'

type Store = Pick<TelemetryStore, 'query'>

/**
 * Queries that run every second read little: a second thread would cost a fifth more processor time, and nobody waits for the answer.
 */
const inOneThread = 'SETTINGS max_threads = 1'

/** How many spans were stored at each recent time, in milliseconds, and the engine's current time. */
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

/** A condition on spans that were stored at certain times, or since one. */
export const arrivedAt = `(stored_at >= fromUnixTimestamp64Milli({from_stored:Int64}, 'UTC') AND stored_at <= fromUnixTimestamp64Milli({to_stored:Int64}, 'UTC')
	AND toUnixTimestamp64Milli(stored_at) IN {stored:Array(Int64)})`
export function arrivedParameters(arrived: readonly number[]): Record<string, unknown> {
	const inOrder = arrived.toSorted((a, b) => a - b)
	return { from_stored: inOrder[0], to_stored: inOrder.at(-1), stored: inOrder }
}
export const storedSince = "stored_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')"

/**
 * The new spans of a trace, in milliseconds: the range in which they began, until when they may affect calls, and the duration of the
 * longest.
 */
export interface ArrivedTrace {
	trace: string
	first: number
	last: number
	reaches: number
	longest: number
	/** Whether it has calls that may have several views, or lack a fact that another of these spans has. */
	isMixed: boolean
}

/** The new spans of a workspace, and who recorded calls among them. */
export interface WorkspaceArrivals {
	workspace: string
	traces: ArrivedTrace[]
	sides: Side[]
}

/** Returns what an insert brought, by its time of storage and number of spans; null: the store must be queried. */
export type TakeArrivals = (storedMs: number, rows: number) => readonly ArrivedSpans[] | null

/**
 * What was stored at these times, by workspace: from inserts of this process where known, otherwise from the store. A trace may occur
 * several times.
 */
export async function findArrived(
	store: Store,
	moments: readonly { storedMs: number; rows: number }[],
	takeArrived: TakeArrivals = () => null,
): Promise<Map<string, WorkspaceArrivals>> {
	const reported = moments.map(({ storedMs, rows }) => takeArrived(storedMs, rows))
	const open = moments.flatMap(({ storedMs }, at) => (reported[at] ? [] : [storedMs]))
	const found = open.length > 0 ? await findArrivedTraces(store, open) : []
	const byWorkspace = new Map<string, WorkspaceArrivals>()
	for (const { workspace, traces, sides } of [
		...found,
		...reported.flatMap((one) => one?.map(arrivedOf) ?? []),
	]) {
		const known = byWorkspace.get(workspace) ?? { workspace, traces: [], sides: [] }
		byWorkspace.set(workspace, known)
		for (const trace of traces) known.traces.push(trace)
		known.sides.push(...sides)
	}
	return byWorkspace
}

function arrivedOf({ workspace, ids, times, mixed, sides }: ArrivedSpans): WorkspaceArrivals {
	const hex = Buffer.from(ids.buffer, ids.byteOffset, ids.length).toString('hex')
	const traces = Array.from(mixed, (isMixed, at) => {
		const [first, last, reaches, longest] = times.subarray(4 * at) as unknown as Times
		return {
			...{ trace: hex.slice(32 * at, 32 * at + 32), first, last, reaches, longest },
			isMixed: isMixed === 1,
		}
	})
	return { workspace, traces, sides: sides.map((side) => ({ workspace, ...side })) }
}
type Times = [first: number, last: number, reaches: number, longest: number]

type FoundTrace = Record<'workspace' | 'trace' | 'first' | 'last' | 'reaches' | 'longest', string> & {
	/** Whether several of its spans arrived, including calls. */
	several: 0 | 1
	/** For its calls: kind, source, scope, rank. */
	sides: [string, string, string, number][]
}

async function findArrivedTraces(store: Store, stored: readonly number[]): Promise<WorkspaceArrivals[]> {
	const ms = (time: string) => `toString(toUnixTimestamp64Milli(${time}))`
	const end = `if(${rollups.isLong}, started_at + toIntervalSecond(least(intDiv(duration_ns, 1000000000), ${rollups.maxReachS})), started_at)`
	const rows = await readStore(() =>
		store.query<FoundTrace>(
			`SELECT workspace_id AS workspace, lower(hex(trace_id)) AS trace, ${ms('min(started_at)')} AS first, ${ms('max(started_at)')} AS last, ${ms(`max(${end})`)} AS reaches,
				toString(least(intDiv(max(duration_ns), 1000000), ${rollups.maxReachS}000)) AS longest, toUInt8(count() > 1 AND countIf(${isJoinable}) > 0) AS several,
				groupUniqArrayIf((toString(kind), source, scope_name, ${rankOf}), kind IN ('tool_call', 'model_call')) AS sides
			FROM spans WHERE ${arrivedAt} GROUP BY workspace_id, trace_id ${inOneThread}`,
			arrivedParameters(stored),
		),
	)
	const mixed = rows.some(({ several }) => several === 1) ? await findMixedArrivals(store, stored) : null
	return rows.map(({ workspace, trace, sides, ...times }) => ({
		workspace,
		traces: [
			{
				...{ trace, first: Number(times.first), last: Number(times.last), reaches: Number(times.reaches) },
				...{ longest: Number(times.longest), isMixed: mixed?.has(`${workspace} ${trace}`) ?? false },
			},
		],
		sides: sides.map(([kind, source, scope, rank]) => ({ workspace, kind, source, scope, rank })),
	}))
}

/**
 * The traces among the new ones whose calls may have several views, or lack a fact that another span has. This is a separate query,
 * because its sums cost several times as much as everything else about a trace, and do not apply to a trace without new calls. Spans
 * of one kind are adjacent, so hardly more than the traces of the calls is read.
 */
async function findMixedArrivals(store: Store, stored: readonly number[]): Promise<ReadonlySet<string>> {
	const rows = await readStore(() =>
		store.query<Record<'workspace' | 'trace', string>>(
			`SELECT workspace_id AS workspace, lower(hex(trace_id)) AS trace FROM spans
			PREWHERE ${arrivedAt} AND trace_id IN (SELECT trace_id FROM spans WHERE ${arrivedAt} AND ${isJoinable})
			GROUP BY workspace_id, trace_id HAVING ${isMixed} ${inOneThread}`,
			arrivedParameters(stored),
		),
	)
	return new Set(rows.map(({ workspace, trace }) => `${workspace} ${trace}`))
}

/** Who recorded calls of one kind in a workspace. */
export interface Side extends RecordedSide {
	workspace: string
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

/** The hours that new spans of a workspace affect, newest first, in milliseconds. */
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

/** A recorded tool call with the id of the tool use that a model requested. Numbers are text. */
export interface NamedUse {
	trace: string
	use: string
	start_s: string
	days: string
}

/** For the calls that match one of our conditions. */
export function findUses(
	store: Pick<TelemetryStore, 'query'>,
	where: string,
	parameters: Record<string, unknown>,
): Promise<NamedUse[]> {
	return readStore(() =>
		store.query<NamedUse>(
			`SELECT DISTINCT lower(hex(trace_id)) AS trace, ${toolUse} AS use, toString(toUnixTimestamp(started_at)) AS start_s, toString(retention_days) AS days
			FROM spans WHERE workspace_id = {workspace:String} AND kind = 'tool_call' AND ${where} AND length(use) >= ${minUseLength}`,
			parameters,
		),
	)
}

/** The traces of the model calls through the proxy that requested these tool uses; unknown ones are absent. */
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
