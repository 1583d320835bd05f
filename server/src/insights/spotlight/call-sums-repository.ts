import { failedStatuses } from '@signalbox/contract/span-status'
import type { TimeRange } from '../../platform/time-range.ts'
import {
	asksForRequests,
	columnsOfConditions,
	readStore,
	type SumTable,
	sumTables,
} from '../../telemetry/index.ts'
import { type CallFilter, filterNeedsSpans, filterSql, isIndexed } from './call-filter.ts'
import {
	callSource,
	figuresSource,
	type IsRead,
	indexedSource,
	sessionSource,
	sumSource,
	visitorSource,
} from './call-source.ts'
import {
	isCall,
	isError,
	type NarrowSource,
	type QueryStore,
	type Source,
	statementFrom,
} from './counted-calls.ts'
import { isDerived, withBeginnings, withDerivedSessions } from './derived-sessions.ts'
import { planQuery } from './rollups/plan-query.ts'
import { recordedSource, requestSource, spanSource } from './span-source.ts'

/** Sums over the counted calls. 64-bit numbers are text. */
export interface CallSums {
	calls: string
	errors: string
	tool_calls: string
	model_calls: string
	timed: string
	quantiles_ns: string[]
	input: string
	cache_read: string
	cache_write: string
	output: string
	reasoning: string
	cost_nano_usd: string
	unpriced_calls: string
}

export interface Visitors {
	sessions: string
	users: string
}

/** A call without an outcome has no duration, so it is left out of the quantiles. */
export const timed = "status != 'interrupted'"

/** The figures of a set of counted calls: from individual calls, and from rows that are sums of several. */
const ofCalls = {
	count: 'count()',
	errors: `countIf(${isError})`,
	failed: isError,
	sums: `countIf(kind = 'tool_call') AS tool_calls, countIf(kind = 'model_call') AS model_calls,
	countIf(${timed}) AS timed, quantilesExactIf(0.5, 0.95, 0.99)(duration_ns, ${timed}) AS quantiles_ns,
	countIf(kind = 'model_call' AND isNull(spans.cost_nano_usd)) AS unpriced_calls`,
	visitors:
		"uniqExactIf(session_id, session_id != '') AS sessions, uniqExactIf(user_id, user_id != '') AS users",
	first: 'started_at',
	end: 'toUnixTimestamp64Nano(started_at) + toInt64(duration_ns)',
}
const ofSums = {
	count: 'sum(call_count)',
	errors: 'sum(error_count)',
	failed: 'error_count > 0',
	sums: `sumIf(call_count, kind = 'tool_call') AS tool_calls,
	sumIf(call_count, kind = 'model_call') AS model_calls,
	sum(length(durations)) AS timed, quantilesExactArray(0.5, 0.95, 0.99)(durations) AS quantiles_ns,
	sum(unpriced_count) AS unpriced_calls`,
	visitors: 'uniqExactArray(session_keys) AS sessions, uniqExactArray(user_keys) AS users',
	first: 'first_at',
	// Only sums by session have this column.
	end: 'toUnixTimestamp64Nano(started_at)',
}
const ofActors = { ...ofSums, visitors: ofCalls.visitors, end: 'ended_ns' }
const ofIndexed = { ...ofCalls, visitors: sumTables.countKeys }
const amounts = `sum(input_tokens) AS input, sum(cache_read_tokens) AS cache_read, sum(cache_write_tokens) AS cache_write,
	sum(output_tokens) AS output, sum(reasoning_tokens) AS reasoning, toString(sum(spans.cost_nano_usd)) AS cost_nano_usd`

/** The source of calls, and the SQL of their figures there. */
export interface CallsRead extends NarrowSource {
	count: string
	errors: string
	/** Whether a row has an error. */
	failed: string
	sums: string
	visitors: string
	/** The start of a row's first call. */
	first: string
	/** The end of a row's last call, in nanoseconds. */
	end: string
}

const reading = (source: Source | NarrowSource, { sums, ...rest }: typeof ofCalls): CallsRead => ({
	...narrow(source),
	...rest,
	sums: `${rest.count} AS calls, ${rest.errors} AS errors, ${sums}, ${amounts}`,
})

export function narrow(source: Source | NarrowSource): NarrowSource {
	const { from } = source
	return { ...source, from: typeof from === 'string' ? () => from : from }
}

/** How to count rows that are one call, or any single span. */
export const onSingleCalls = { count: ofCalls.count, errors: ofCalls.errors, failed: ofCalls.failed }

export async function sumCalls(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
): Promise<CallSums> {
	const { sql, parameters } = filterSql(filter)
	const needs = { ...needsOf(filter), filter, failed: asksForFailures(filter) }
	const calls = await readCalls(store, workspaceId, range, needs)
	const [found] = await readStore(() =>
		store.query<CallSums>(
			statementFrom(calls, (from) => `SELECT ${calls.sums} ${from} WHERE 1${calls.left ?? sql}`),
			{ ...calls.parameters, ...parameters },
		),
	)
	return found as CallSums
}

/** Ranges of equal length, each an interval after the previous one. They may overlap or leave gaps. */
export interface Windows {
	firstEndMs: number
	intervalMs: number
	lengthMs: number
	count: number
}

/** A call is counted in each window that contains it, so it becomes at most this many rows. */
const windowsAtOnce = 28

/** The same sums for many windows, by index; a window without calls has no entry. `visitors` as in the overview's figures. */
export async function sumWindows(
	store: QueryStore,
	workspaceId: string,
	windows: Windows,
	filter: CallFilter,
	visitors: boolean,
): Promise<Map<number, CallSums & Visitors>> {
	const found = new Map<number, CallSums & Visitors>()
	for (let first = 0; first < windows.count; first += windowsAtOnce) {
		const some = {
			...windows,
			firstEndMs: windows.firstEndMs + first * windows.intervalMs,
			count: Math.min(windowsAtOnce, windows.count - first),
		}
		const [sums, counted] = await Promise.all([
			sumWindowsAtOnce(store, workspaceId, some, filter, false),
			visitors ? sumWindowsAtOnce(store, workspaceId, some, filter, true) : [],
		])
		for (const row of sums) found.set(first + row.place, { ...row, sessions: '0', users: '0' })
		for (const { place, sessions, users } of counted) {
			const of = found.get(first + place) ?? noCalls
			found.set(first + place, { ...of, sessions, users })
		}
	}
	return found
}

/** The sums of no calls. */
export const noCalls: CallSums & Visitors = {
	...{ calls: '0', errors: '0', tool_calls: '0', model_calls: '0', timed: '0', quantiles_ns: [] },
	...{ input: '0', cache_read: '0', cache_write: '0', output: '0', reasoning: '0' },
	...{ cost_nano_usd: '0', unpriced_calls: '0', sessions: '0', users: '0' },
}

async function sumWindowsAtOnce(
	store: QueryStore,
	workspaceId: string,
	{ firstEndMs, intervalMs, lengthMs, count }: Windows,
	filter: CallFilter,
	visitors: boolean,
): Promise<(CallSums & Visitors & { place: number })[]> {
	const { sql, parameters } = filterSql(filter)
	const range = { startMs: firstEndMs - lengthMs, endMs: firstEndMs + (count - 1) * intervalMs }
	const needs = { ...needsOf(filter), filter, single: true }
	const source =
		visitors && !isDerived(filter.session)
			? await recordedSource(store, workspaceId, range, filter)
			: await readCalls(store, workspaceId, range, needs)
	const sums = visitors ? ofCalls.visitors : reading(source, ofCalls).sums
	return readStore(() =>
		store.query(
			statementFrom(
				source,
				(from) => `SELECT place, ${sums} FROM (
				SELECT *, toUnixTimestamp64Milli(started_at) - {first:Int64} AS since, arrayJoin(range(
					toUInt32(if(since < {length:Int64}, 0, intDiv(since - {length:Int64}, {interval:Int64}) + 1)),
					toUInt32(least(intDiv(since, {interval:Int64}) + 1, {windows:Int64})))) AS place
				${from} WHERE 1${source.left ?? sql}) AS spans
			GROUP BY place`,
			),
			{
				...source.parameters,
				...parameters,
				...{ first: range.startMs, length: lengthMs, interval: intervalMs, windows: count },
			},
		),
	)
}

/**
 * Sums of calls, and sessions and users of everything recorded, if both are read from the same spans, which are then read once.
 * Otherwise null.
 */
export async function sumRecorded(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter,
): Promise<(CallSums & Visitors) | null> {
	const { sql, parameters } = filterSql(filter)
	const { spans, requests, sessions } = needsOf(filter)
	if (!spans || requests || sessions) return null
	const { isKeyed, ...source } = await recordedSource(store, workspaceId, range, filter)
	const [session, user, none] = isKeyed ? ['session_key', 'user_key', '0'] : ['session_id', 'user_id', "''"]
	const rows = await readStore(() =>
		store.query<CallSums & Visitors & { is_call: number }>(
			statementFrom(
				source,
				(
					from,
				) => `SELECT * EXCEPT (session_set, user_set), uniqExactMerge(session_set) OVER () AS sessions, uniqExactMerge(user_set) OVER () AS users FROM (
				SELECT ${isCall} AS is_call, ${reading(source, ofCalls).sums},
					uniqExactStateIf(${session}, ${session} != ${none}) AS session_set, uniqExactStateIf(${user}, ${user} != ${none}) AS user_set
				${from} WHERE 1${source.left ?? sql} GROUP BY is_call)`,
			),
			{ ...source.parameters, ...parameters },
		),
	)
	const { sessions: named, users } = rows[0] ?? noCalls
	return { ...(rows.find(({ is_call }) => is_call === 1) ?? noCalls), sessions: named, users }
}

/**
 * The same, in one statement, if both are read from sums and some calls are not in sums yet; two statements would each include those
 * in their plan. Null if everything is rolled up, because two parallel statements are then as fast.
 */
export async function sumFigures(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter,
): Promise<(CallSums & Visitors) | null> {
	const { sql, parameters } = filterSql(filter)
	const sums = sumsFor({ ...needsOf(filter), failed: asksForFailures(filter) }, [sql])
	const visitors = visitorsBy(sql)
	if (!sums || !visitors) return null
	const { open, raw } = await planQuery(store, workspaceId, range)
	if (!open && raw.length === 0) return null
	const calls = reading(await figuresSource(store, workspaceId, range, [sums, visitors]), ofSums)
	const [found] = await readStore(() =>
		store.query<CallSums & Visitors>(
			statementFrom(calls, (from) => `SELECT ${calls.sums}, ${calls.visitors} ${from} WHERE 1${sql}`),
			{ ...calls.parameters, ...parameters },
		),
	)
	return found as CallSums & Visitors
}

/** The smallest table of visitors that has the columns in some conditions. */
const visitorsBy = (sql: string) => smallestOf([sumTables.allVisitors, sumTables.visitorSums], [sql])

/** Sessions and users of everything recorded. Besides these, the rollup has only labels. */
export async function countVisitors(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
): Promise<Visitors> {
	const { sql, parameters } = filterSql(filter)
	const source = await visitorsFor(store, workspaceId, range, filter)
	const [found] = await readStore(() =>
		store.query<Visitors>(
			statementFrom(source, (from) => `SELECT ${source.visitors} ${from} WHERE 1${source.left ?? sql}`),
			{ ...source.parameters, ...parameters },
		),
	)
	return found as Visitors
}

async function visitorsFor(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter,
): Promise<NarrowSource & Pick<CallsRead, 'visitors'>> {
	if (isDerived(filter.session)) return readCalls(store, workspaceId, range, needsOf(filter))
	// Sums leave out requests that show no session, which are among those that such a filter asks for.
	const table = asksForRequests(filter) ? undefined : visitorsBy(filterSql(filter).sql)
	if (!table) return reading(await recordedSource(store, workspaceId, range, filter), ofCalls)
	return reading(await visitorSource(store, workspaceId, range, table), ofSums)
}

/** What a query needs of its calls. */
export interface CallNeeds {
	/** Attributes, and columns that only spans have. */
	spans: boolean
	/** MCP requests other than tool calls, instead of calls. */
	requests?: boolean
	/** Derived sessions, of callers that sent no session id. */
	sessions: boolean
	/** The index of attributes can answer the conditions on attributes. */
	indexed?: boolean
	/** Only failed calls. */
	failed?: boolean
	/** The conditions and groups in SQL. Their columns determine which sum tables can be used. */
	names: readonly string[]
	/** Calls that do not match this filter may be left out when spans are read. */
	filter?: CallFilter
	/** Whether individual calls are needed instead of sums per hour. */
	single?: boolean
	/** No sum may cover calls on both sides of this time. */
	splitMs?: number | undefined
	/** Selects the hours whose calls are needed; others may be left out. */
	isRead?: IsRead | undefined
}

export function needsOf(filter: CallFilter): CallNeeds {
	return {
		requests: asksForRequests(filter),
		...{ spans: filterNeedsSpans(filter), sessions: isDerived(filter.session) },
		...{ indexed: isIndexed(filter), names: [filterSql(filter).sql] },
	}
}

/** Whether a filter selects only failed calls. */
export const asksForFailures = ({ status }: CallFilter) =>
	status !== undefined && (failedStatuses as readonly string[]).includes(status)

/** The calls of a range from the smallest table that has what the query needs. */
export async function readCalls(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	needs: CallNeeds,
): Promise<CallsRead> {
	const { actorSums } = sumTables
	const { requests, sessions, names, single, splitMs, indexed, filter, isRead } = needs
	const spans = needs.spans || requests
	if (spans && indexed && filter && !requests && !sessions)
		return reading(await indexedSource(store, workspaceId, range, filter, isRead), ofIndexed)
	if (!spans && !single && sessions && namesOnly(names, actorSums.labels))
		return reading(await sessionSource(store, workspaceId, range, splitMs), ofActors)
	if (spans || sessions || single) return reading(await sourceFor(store, workspaceId, range, needs), ofCalls)
	const table = sumsFor(needs, names)
	if (table) return reading(await sumSource(store, workspaceId, range, { table, splitMs, isRead }), ofSums)
	if (namesOnly(names, actorSums.labels))
		return reading(
			await sumSource(store, workspaceId, range, { table: actorSums, splitMs, isRead }),
			ofActors,
		)
	return reading(await callSource(store, workspaceId, range, isRead), ofCalls)
}

/** The sum tables by labels that `readCalls` uses for some SQL; undefined if it uses others, or individual calls. */
export function sumsFor({ spans, requests, sessions, failed }: CallNeeds, names: readonly string[]) {
	const { callSums, failureSums, narrowCallSums } = sumTables
	const tables = [...narrowCallSums, ...(failed ? [failureSums] : []), callSums]
	return spans || requests || sessions ? undefined : smallestOf(tables, names)
}

/** The first of these tables that has all columns in some SQL. */
const smallestOf = (tables: readonly SumTable[], names: readonly string[]) =>
	tables.find(({ labels }) => namesOnly(names, labels))

/** Whether SQL uses no columns but these. */
function namesOnly(sql: readonly string[], labels: ReadonlySet<string>): boolean {
	const words = sql.flatMap((one) => one.split(/\W+/))
	return !words.some((word) => columnsOfConditions.includes(word) && !labels.has(word))
}

/** The source of the individual calls of a range. */
export async function sourceFor(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	needs: Pick<CallNeeds, 'spans' | 'requests' | 'sessions' | 'filter' | 'isRead'>,
): Promise<Source> {
	const read = needs.sessions ? withBeginnings(range) : range
	const readSpans = needs.requests ? requestSource : needs.spans ? spanSource : null
	const source = readSpans
		? // A session's name comes from its first call, which may not match the filter.
			await readSpans(store, workspaceId, read, needs.sessions ? undefined : needs.filter)
		: await callSource(store, workspaceId, read, needs.isRead)
	return needs.sessions ? withDerivedSessions(source, range) : source
}
