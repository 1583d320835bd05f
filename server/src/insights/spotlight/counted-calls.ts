import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import {
	callJoins,
	isFailed,
	keptSaying,
	readStore,
	rollups,
	spanColumnNames,
} from '../../telemetry/index.ts'
import type { CleanHour, KeptBuckets, KnownHours } from './rollups/plan-reads.ts'

/** How far from a call other views of it are looked for, so that any range counts it once and in the same way. */
const nearMs = 60 * 60 * 1000

/** Times between two parameters, which `stretchParameters` gives. */
export const between = (start: string, end: string) =>
	`(started_at >= fromUnixTimestamp64Milli({${start}:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({${end}:Int64}, 'UTC'))`
const ofWorkspace = 'workspace_id = {workspace:String}'
export const isCall = "kind IN ('tool_call', 'model_call')"
/** What was asked of MCP servers beside tool calls: read when it is asked for alone, and in no sums. */
export const isRequest = "kind = 'mcp'"
/** Whatever else was recorded. */
export const isNoCall = "kind NOT IN ('tool_call', 'model_call')"
/** Of these, what shows a session: that a client asked what there is, as each does when it connects, is no run of an agent. */
export const isVisit = `${isNoCall} AND NOT (kind = 'mcp' AND (endsWith(mcp_method, '/list') OR mcp_method IN ('initialize', 'ping', 'server/discover', 'logging/setLevel')))`

/** Rows of one of so many stretches of time; `of` tells apart the stretches that a statement has for several things. */
export const inStretches = (count: number, of = '') => anyStretch(count, `${of}start`, `${of}end`)
/** The same with all times at which there may be other views of their calls. */
export const nearStretches = (count: number, of = '') => anyStretch(count, `near_${of}start`, `near_${of}end`)

/** How long before its calls an ancestor may have begun; long ones alone are looked for so far. */
const inheritedReachMs = rollups.longestReachS * 1000
/** What is above calls in so many stretches is looked for there. */
export const aboveStretches = (count: number, of = '') => ({
	...{ near: nearStretches(count, of) },
	far: anyStretch(count, `far_${of}start`, `near_${of}end`),
})

function anyStretch(count: number, start: string, end: string): string {
	const any = Array.from({ length: count }, (_, at) => between(`${start}_${at}`, `${end}_${at}`))
	return `${ofWorkspace} AND (${any.join(' OR ')})`
}

/** Which of the spans that were stored lately may be counted: their views are joined. Times of storage, by the engine's clock. */
export interface Judged {
	/** What was stored before counts in any case. */
	fromMs: number
	/** Moments since then. */
	storedMs: readonly number[]
}
export const allJudged: Judged = { fromMs: 2 ** 52, storedMs: [] }
/** A view that is not joined yet would be counted beside its call. */
export const isJudged =
	'toUnixTimestamp64Milli(stored_at) < {judged_from:Int64} OR toUnixTimestamp64Milli(stored_at) IN {judged:Array(Int64)}'
export const judgedParameters = ({ fromMs, storedMs }: Judged) => ({ judged_from: fromMs, judged: storedMs })

/** The hours of a range as a query finds them. */
export interface KnownRolls {
	judged: Judged
	hours: KnownHours
	/** Rolls of open hours that have rows which do not count any more. */
	reopened: CleanHour[]
}

export type QueryStore = Pick<TelemetryStore, 'query'> & {
	/** What may be counted now; absent: everything. */
	judged?(): Judged
	/** For the statements of one query: what one of them has found out about the rolls of a range. */
	knownRolls?: Map<string, Promise<KnownRolls>>
	/** For queries that come soon after one another: what another one has found out about these whole hours, or all that `find` does. */
	shareRolls?: ShareRolls
	keptBuckets?: KeptBuckets<object>
}

/** `complete` as in `findHours`. */
export type ShareRolls = (
	asked: { workspaceId: string; range: TimeRange; complete: boolean },
	find: () => Promise<KnownRolls>,
) => Promise<KnownRolls>

/** Something to select from, and the parameters of it. */
export interface Source {
	/** `FROM (SELECT … UNION ALL SELECT …) AS spans`, with the columns of the spans, or those of a table of sums. */
	from: string
	parameters: Record<string, unknown>
	/** Of the filter that it was given, what is still to be judged, each condition after an `AND`. Absent: all of it. */
	left?: string | undefined
}

/** The same whose FROM has no more columns than the rest of its statement names: long SQL is slow to plan. */
export interface NarrowSource extends Omit<Source, 'from'> {
	from(rest: string): string
}

/** A statement that reads such a source. */
export const statementFrom = ({ from }: NarrowSource, statement: (from: string) => string): string =>
	statement(from(statement('')))

/** Parameters of the SQL of this file. By default all calls are counted. `reach` is what `nearStretches` are near to. */
export function stretchParameters(
	workspaceId: string,
	stretches: readonly TimeRange[],
	{ of = '', reach = stretches }: { of?: string; reach?: readonly TimeRange[] } = {},
): Record<string, unknown> {
	const own = stretches.flatMap(({ startMs, endMs }, at) => [
		[`${of}start_${at}`, startMs],
		[`${of}end_${at}`, endMs],
	])
	const near = reach.flatMap(({ startMs, endMs }, at) => [
		[`near_${of}start_${at}`, startMs - nearMs],
		[`near_${of}end_${at}`, endMs + nearMs],
		[`far_${of}start_${at}`, startMs - inheritedReachMs],
	])
	return { workspace: workspaceId, ...judgedParameters(allJudged), ...Object.fromEntries([...own, ...near]) }
}

/** What `call_joins` holds about the calls of so many stretches of time. */
export function joinsIn(count: number, of = ''): string {
	const any = Array.from({ length: count }, (_, at) => {
		const ms = (name: string) => `fromUnixTimestamp64Milli({${of}${name}_${at}:Int64}, 'UTC')`
		return `hour >= toStartOfHour(${ms('start')}) AND hour < ${ms('end')}`
	})
	return `${ofWorkspace} AND (${any.join(' OR ')})`
}

/** Whether a stored message says what any of these conditions on texts looks for. */
export async function isSaidInKept(
	store: QueryStore,
	workspaceId: string,
	texts: readonly string[],
): Promise<boolean> {
	const { sql, parameters } = keptSaying(texts)
	const found = await readStore(() => store.query(sql, { ...parameters, workspace: workspaceId }))
	return found.length > 0
}

/** Spans that have attributes from elsewhere for which something holds. */
export const taggedIn = (joins: string) => (holds: string) =>
	`(trace_id, span_id) IN (SELECT trace_id, span_id FROM ${callJoins} FINAL WHERE ${joins} AND ${holds})`

/** Whether calls have attributes from elsewhere, of these names or of any. Mostly none has, and then the ids of all calls need not be read. */
export async function areTagged(
	store: QueryStore,
	parameters: Record<string, unknown>,
	names?: readonly string[],
): Promise<boolean> {
	const tagged = names ? 'hasAny(mapKeys(tags), {tag_names:Array(String)})' : 'notEmpty(tags)'
	const found = await readStore(() =>
		store.query(`SELECT 1 FROM ${callJoins} WHERE ${joinsIn(1)} AND ${tagged} LIMIT 1`, {
			...parameters,
			...(names && { tag_names: names }),
		}),
	)
	return found.length > 0
}

interface Counted {
	/** A condition on spans, within so many stretches. */
	where: string
	stretches: number
	of?: string
	/** Whether attributes of their ancestors are asked for, too. */
	withTags?: boolean
	/** What is asked of the calls afterwards: of most of them their own spans say that it does not hold. */
	holds?: string
	/** What is asked of the spans themselves, and not again. */
	only?: string
	/** Whatever else was recorded is selected as well, as it is stored, where this holds and what `only` says. */
	others?: string
}

export type CountedOptions = Pick<Counted, 'withTags' | 'holds' | 'only' | 'others'>

const namesOfCall = ['session_id', 'user_id', 'agent_id', 'agent_name'] as const

/** The columns of spans that some SQL names. */
export function spanColumnsIn(sql: string): string[] {
	const words = new Set(sql.split(/\W+/))
	return spanColumnNames.filter((name) => words.has(name))
}

/** A column of a call, with what `said` knows of it. */
function heard(name: string, withTags: boolean): string {
	const ofSpan = `spans.${name}`
	if (name === 'attributes')
		return withTags ? `if(empty(said.tags), ${ofSpan}, mapUpdate(said.tags, ${ofSpan}))` : ofSpan
	if (!(namesOfCall as readonly string[]).includes(name)) return ofSpan
	const text = `if(said.${name} != '', said.${name}, toString(${ofSpan}))`
	return name === 'agent_id' ? `toLowCardinality(${text})` : text
}

/** A condition on spans: what is asked for holds, or what is known of the call from elsewhere may make it hold. */
function mayHold(holds: string, stretches: number, of: string): string {
	const words = new Set(holds.split(/\W+/))
	const changed = [
		...namesOfCall.filter((name) => words.has(name)).map((name) => `${name} != ''`),
		...(words.has('attributes') ? ['notEmpty(tags)'] : []),
	]
	if (changed.length === 0) return holds
	const known = `SELECT trace_id, span_id FROM ${callJoins} WHERE ${joinsIn(stretches, of)} AND is_hidden = 0 AND (${changed.join(' OR ')})`
	return `((${holds}) OR (trace_id, span_id) IN (${known}))`
}

/**
 * Calls that are no further view of another one, with what is known of whose they are; to stand for the table of spans. They have the columns
 * that some SQL names: to plan all of them took a fifth of a statement.
 */
function countedSpans(
	named: string,
	{ where, stretches, of = '', withTags = false, holds = '1', only = '', others }: Counted,
): string {
	const columns = spanColumnsIn(named)
	const counts = `(${isJudged}) AND ${mayHold(holds, stretches, of)}`
	const selected = others === undefined ? counts : `(${isCall} AND ${counts} OR ${isNoCall}${others})`
	const known = ['trace_id', 'span_id', 'is_hidden', ...namesOfCall.filter((name) => columns.includes(name))]
	if (withTags && columns.includes('attributes')) known.push('tags')
	return `(
		SELECT ${columns.map((name) => `${heard(name, withTags)} AS ${name}`).join(', ')}
		FROM (SELECT ${[...new Set(['kind', 'trace_id', 'span_id', ...columns])].join(', ')} FROM spans WHERE ${where} AND ${selected}${only}) AS spans
		LEFT JOIN (SELECT ${known.join(', ')} FROM ${callJoins} FINAL WHERE ${joinsIn(stretches, of)}) AS said
			ON said.trace_id = spans.trace_id AND said.span_id = spans.span_id${others === undefined ? '' : ` AND spans.${isCall}`}
		WHERE said.is_hidden = 0
	) AS spans`
}

/** The calls that count in so many stretches of time, each once. */
export const selectCountedCalls = (columns: string, stretches: number, options: CountedOptions = {}) =>
	`SELECT ${columns} FROM ${countedSpans(columns, { where: `${inStretches(stretches)} AND ${isCall}`, stretches, ...options })}`

/** These, and whatever else was recorded as far as `others` says: in one pass, since both lie in the same granules of the table. */
export const selectRecorded = (
	columns: string,
	stretches: number,
	options: CountedOptions & { others: string },
) =>
	`SELECT ${columns} FROM ${countedSpans(columns, { where: inStretches(stretches), stretches, ...options })}`

/** The same of the requests that were made of MCP servers beside tool calls. */
export const selectCountedRequests = (columns: string, stretches: number, options: CountedOptions = {}) =>
	`SELECT ${columns} FROM ${countedSpans(columns, { where: `${inStretches(stretches)} AND ${isRequest}`, stretches, ...options })}`

/** The same of certain traces, a SELECT. */
export function selectCallsOfTraces(
	columns: string,
	{ traces, ...counted }: { traces: string } & Omit<Counted, 'where'>,
): string {
	const where = `${inStretches(counted.stretches, counted.of)} AND trace_id IN (${traces}) AND ${isCall}`
	return `SELECT ${columns} FROM ${countedSpans(columns, { where, ...counted })}`
}

/** Whatever did not succeed: failed, refused, or without an outcome. */
export const isError = isFailed()
