import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import {
	callJoins,
	isFailed,
	readStore,
	rollups,
	spanColumnNames,
	storedMessagesContaining,
} from '../../telemetry/index.ts'
import type { CleanHour, KeptBuckets, KnownHours } from './rollups/plan-reads.ts'

/** Up to this distance from a call, other views of it are searched, so that any range counts it once and in the same way. */
const nearMs = 60 * 60 * 1000

/** A condition on times between two parameters, which `stretchParameters` provides. */
export const between = (start: string, end: string) =>
	`(started_at >= fromUnixTimestamp64Milli({${start}:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({${end}:Int64}, 'UTC'))`
const ofWorkspace = 'workspace_id = {workspace:String}'
export const isCall = "kind IN ('tool_call', 'model_call')"
/** MCP requests other than tool calls. They are read only when explicitly requested, and are not part of any sums. */
export const isRequest = "kind = 'mcp'"
/** Any span that is not a call. */
export const isNotCall = "kind NOT IN ('tool_call', 'model_call')"
/**
 * Listing what a server offers is something each client does when it connects, and is not a run of an agent, so that it shows no
 * session.
 */
export const isNoListing = `NOT (kind = 'mcp' AND (endsWith(mcp_method, '/list') OR mcp_method IN ('initialize', 'ping', 'server/discover', 'logging/setLevel')))`
/** A span that is not a call, but shows a session. */
export const isVisit = `${isNotCall} AND ${isNoListing}`

/** A condition on rows in one of several periods. `of` distinguishes the periods that a statement has for different purposes. */
export const inStretches = (count: number, of = '') => anyStretch(count, `${of}start`, `${of}end`)
/** The same including all times at which there may be other views of the calls. */
export const nearStretches = (count: number, of = '') => anyStretch(count, `near_${of}start`, `near_${of}end`)

/** How long before its calls an ancestor may have begun. Only long spans are searched this far. */
const inheritedReachMs = rollups.maxReachS * 1000
/** The periods in which ancestors of calls are searched. */
export const aboveStretches = (count: number, of = '') => ({
	...{ near: nearStretches(count, of) },
	far: anyStretch(count, `far_${of}start`, `near_${of}end`),
})

function anyStretch(count: number, start: string, end: string): string {
	const any = Array.from({ length: count }, (_, at) => between(`${start}_${at}`, `${end}_${at}`))
	return `${ofWorkspace} AND (${any.join(' OR ')})`
}

/** Which recently stored spans may be counted, because their views are joined. Times of storage are by the engine's clock. */
export interface CountableSpans {
	/** Spans stored before this time are always counted. */
	fromMs: number
	/** Later times of storage whose spans are counted. */
	storedMs: readonly number[]
}
export const allSpansCountable: CountableSpans = { fromMs: 2 ** 52, storedMs: [] }
/** A view that is not joined yet would be counted in addition to its call. */
export const isCountable =
	'toUnixTimestamp64Milli(stored_at) < {countable_from:Int64} OR toUnixTimestamp64Milli(stored_at) IN {countable:Array(Int64)}'
export const countableParameters = ({ fromMs, storedMs }: CountableSpans) => ({
	countable_from: fromMs,
	countable: storedMs,
})

/** The hours of a range as a query finds them. */
export interface KnownRolls {
	countable: CountableSpans
	hours: KnownHours
	/** Rolls of open hours that have rows which no longer count. */
	reopened: CleanHour[]
}

export type QueryStore = Pick<TelemetryStore, 'query'> & {
	/** What may be counted now; absent: everything. */
	countable?(): CountableSpans
	/** Shared by the statements of one query: the rolls of a range. */
	knownRolls?: Map<string, Promise<KnownRolls>>
	/** Shared by queries in quick succession: returns the rolls of these whole hours from another query, or calls `find`. */
	shareRolls?: ShareRolls
	keptBuckets?: KeptBuckets<object>
}

/** `complete` as in `findHours`. */
export type ShareRolls = (
	asked: { workspaceId: string; range: TimeRange; complete: boolean },
	find: () => Promise<KnownRolls>,
) => Promise<KnownRolls>

/** A source to select from, and its parameters. */
export interface Source {
	/** `FROM (SELECT … UNION ALL SELECT …) AS spans`, with the columns of the spans, or those of a sum table. */
	from: string
	parameters: Record<string, unknown>
	/** The conditions of the given filter that are still to be evaluated, each preceded by `AND`. Absent: all of them. */
	left?: string | undefined
}

/** The same with only the columns that the rest of its statement uses, because long SQL is slow to plan. */
export interface NarrowSource extends Omit<Source, 'from'> {
	from(rest: string): string
}

/** Builds a statement that reads such a source. */
export const statementFrom = ({ from }: NarrowSource, statement: (from: string) => string): string =>
	statement(from(statement('')))

/** Parameters of the SQL in this file. By default all calls are counted. `reach`: the periods to which `nearStretches` refers. */
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
	return {
		workspace: workspaceId,
		...countableParameters(allSpansCountable),
		...Object.fromEntries([...own, ...near]),
	}
}

/** A SELECT of the rows of `call_joins` for the calls in several periods. */
export function joinsIn(count: number, of = ''): string {
	const any = Array.from({ length: count }, (_, at) => {
		const ms = (name: string) => `fromUnixTimestamp64Milli({${of}${name}_${at}:Int64}, 'UTC')`
		return `hour >= toStartOfHour(${ms('start')}) AND hour < ${ms('end')}`
	})
	return `${ofWorkspace} AND (${any.join(' OR ')})`
}

/** Whether a stored message contains what any of these conditions on texts searches for. */
export async function occursInStoredMessages(
	store: QueryStore,
	workspaceId: string,
	texts: readonly string[],
): Promise<boolean> {
	const { sql, parameters } = storedMessagesContaining(texts)
	const found = await readStore(() => store.query(sql, { ...parameters, workspace: workspaceId }))
	return found.length > 0
}

/** A condition on spans that have an inherited attribute for which something holds. */
export const taggedIn = (joins: string) => (holds: string) =>
	`(trace_id, span_id) IN (SELECT trace_id, span_id FROM ${callJoins} FINAL WHERE ${joins} AND ${holds})`

/**
 * Whether calls have inherited attributes, with these names or at all. Usually none has, and then the ids of all calls need not be
 * read.
 */
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
	/** A condition on spans within several periods. */
	where: string
	stretches: number
	of?: string
	/** Whether attributes of their ancestors are needed, too. */
	withTags?: boolean
	/** A condition that is later evaluated on the calls. Most spans that cannot match it are excluded early. */
	holds?: string
	/** A condition on the spans themselves that is evaluated only here. */
	only?: string
	/** A condition on other spans, which are selected as they are stored if `only` holds as well. */
	others?: string
}

export type CountedOptions = Pick<Counted, 'withTags' | 'holds' | 'only' | 'others'>

const namesOfCall = ['session_id', 'user_id', 'agent_id', 'agent_name'] as const

/** The columns of spans that some SQL uses. */
export function spanColumnsIn(sql: string): string[] {
	const words = new Set(sql.split(/\W+/))
	return spanColumnNames.filter((name) => words.has(name))
}

/** A column of a call, taking into account what `joined` has about it. */
function columnOfCall(name: string, withTags: boolean): string {
	const ofSpan = `spans.${name}`
	if (name === 'attributes')
		return withTags ? `if(empty(joined.tags), ${ofSpan}, mapUpdate(joined.tags, ${ofSpan}))` : ofSpan
	if (!(namesOfCall as readonly string[]).includes(name)) return ofSpan
	const text = `if(joined.${name} != '', joined.${name}, toString(${ofSpan}))`
	return name === 'agent_id' ? `toLowCardinality(${text})` : text
}

/** A condition on spans: the given condition holds, or might hold because of what other spans say about the call. */
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
 * Calls that are not views of another call, with their joined names; used in place of the table of spans. They have only the columns
 * that some SQL uses, because planning all of them took a fifth of a statement.
 */
function countedSpans(
	named: string,
	{ where, stretches, of = '', withTags = false, holds = '1', only = '', others }: Counted,
): string {
	const columns = spanColumnsIn(named)
	const counts = `(${isCountable}) AND ${mayHold(holds, stretches, of)}`
	const selected = others === undefined ? counts : `(${isCall} AND ${counts} OR ${isNotCall}${others})`
	const known = ['trace_id', 'span_id', 'is_hidden', ...namesOfCall.filter((name) => columns.includes(name))]
	if (withTags && columns.includes('attributes')) known.push('tags')
	return `(
		SELECT ${columns.map((name) => `${columnOfCall(name, withTags)} AS ${name}`).join(', ')}
		FROM (SELECT ${[...new Set(['kind', 'trace_id', 'span_id', ...columns])].join(', ')} FROM spans WHERE ${where} AND ${selected}${only}) AS spans
		LEFT JOIN (SELECT ${known.join(', ')} FROM ${callJoins} FINAL WHERE ${joinsIn(stretches, of)}) AS joined
			ON joined.trace_id = spans.trace_id AND joined.span_id = spans.span_id${others === undefined ? '' : ` AND spans.${isCall}`}
		WHERE joined.is_hidden = 0
	) AS spans`
}

/** The counted calls in several periods, each once. */
export const selectCountedCalls = (columns: string, stretches: number, options: CountedOptions = {}) =>
	`SELECT ${columns} FROM ${countedSpans(columns, { where: `${inStretches(stretches)} AND ${isCall}`, stretches, ...options })}`

/** These, together with other spans according to `others`, in one pass, since both are in the same granules of the table. */
export const selectRecorded = (
	columns: string,
	stretches: number,
	options: CountedOptions & { others: string },
) =>
	`SELECT ${columns} FROM ${countedSpans(columns, { where: inStretches(stretches), stretches, ...options })}`

/** The same for MCP requests other than tool calls. */
export const selectCountedRequests = (columns: string, stretches: number, options: CountedOptions = {}) =>
	`SELECT ${columns} FROM ${countedSpans(columns, { where: `${inStretches(stretches)} AND ${isRequest}`, stretches, ...options })}`

/** A SELECT of the same for certain traces. */
export function selectCallsOfTraces(
	columns: string,
	{ traces, ...counted }: { traces: string } & Omit<Counted, 'where'>,
): string {
	const where = `${inStretches(counted.stretches, counted.of)} AND trace_id IN (${traces}) AND ${isCall}`
	return `SELECT ${columns} FROM ${countedSpans(columns, { where, ...counted })}`
}

/** Not successful: failed, refused, or without an outcome. */
export const isError = isFailed()
