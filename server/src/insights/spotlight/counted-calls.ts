import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { isFailed, readStore } from '../../telemetry/index.ts'
import {
	type Beneath,
	findInheritance,
	type Inheritance,
	inheritedReachMs,
	selectNamed,
} from './inherited-names.ts'
import {
	countedSpans,
	findSharedKey,
	isRequest,
	withMerged,
	withMergedOf,
	withMergedRequests,
} from './merge-views.ts'

/** How far from a call other views of it are looked for, so that any range counts it once and in the same way. */
const nearMs = 60 * 60 * 1000

/** Times between two parameters, which `stretchParameters` gives. */
export const between = (start: string, end: string) =>
	`(started_at >= fromUnixTimestamp64Milli({${start}:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({${end}:Int64}, 'UTC'))`
const ofWorkspace = 'workspace_id = {workspace:String}'
export const isCall = "kind IN ('tool_call', 'model_call')"
/** Whatever else was recorded. */
export const isNoCall = "kind NOT IN ('tool_call', 'model_call')"

/** Rows of one of so many stretches of time; `of` tells apart the stretches that a statement has for several things. */
export const inStretches = (count: number, of = '') => anyStretch(count, `${of}start`, `${of}end`)
/** The same with all times at which there may be other views of their calls. */
export const nearStretches = (count: number, of = '') => anyStretch(count, `near_${of}start`, `near_${of}end`)

/** What is above calls in so many stretches is looked for there. */
export const aboveStretches = (count: number, of = '') => ({
	...{ of, near: nearStretches(count, of) },
	far: anyStretch(count, `far_${of}start`, `near_${of}end`),
})

function anyStretch(count: number, start: string, end: string): string {
	const any = Array.from({ length: count }, (_, at) => between(`${start}_${at}`, `${end}_${at}`))
	return `${ofWorkspace} AND (${any.join(' OR ')})`
}

/** Parameters of the SQL of this file. `reach` is what `nearStretches` are near to. */
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
	return { workspace: workspaceId, ...Object.fromEntries([...own, ...near]) }
}

/** What the calls of these stretches, and other views of them, have from above. */
export async function findNames(
	store: Pick<TelemetryStore, 'query'>,
	workspaceId: string,
	stretches: readonly TimeRange[],
	options: Pick<Beneath, 'withTags' | 'kinds'> = {},
): Promise<Inheritance | null> {
	if (stretches.length === 0) return null
	const beneath = { calls: nearStretches(stretches.length), ...aboveStretches(stretches.length), ...options }
	return findInheritance(store, beneath, stretchParameters(workspaceId, stretches))
}

/** How calls are seen: whether some were in several traces, and what they have from above. */
export interface Sight {
	isAcross: boolean
	inheritance: Inheritance | null
}

/** `WITH … SELECT columns` of the calls that count in so many stretches of time, each once. */
export const selectCountedCalls = (columns: string, stretches: number, { isAcross, inheritance }: Sight) =>
	selectMerged(
		columns,
		selectNamed(`${inStretches(stretches)} AND ${isCall}`, inheritance),
		withMerged(nearStretches(stretches), isAcross, inheritance),
	)

/** The same of the requests that were made of MCP servers beside tool calls. */
export const selectCountedRequests = (columns: string, stretches: number, inheritance: Inheritance | null) =>
	selectMerged(
		columns,
		selectNamed(`${inStretches(stretches)} AND ${isRequest}`, inheritance),
		withMergedRequests(nearStretches(stretches)),
	)

/** Certain calls, none of which may have been seen in another trace. */
export interface CallsOfTraces {
	columns: string
	/** A SELECT of their traces. */
	traces: string
	stretches: number
	of: string
	/** Whether a call may have several views in its trace. */
	haveViews: boolean
	inheritance: Inheritance | null
}

/** The same of certain traces. */
export function selectCallsOfTraces(wanted: CallsOfTraces): string {
	const { columns, traces, stretches, of, haveViews, inheritance } = wanted
	const where = `${inStretches(stretches, of)} AND trace_id IN (${traces}) AND ${isCall}`
	const spans = selectNamed(where, inheritance)
	if (!haveViews) return `SELECT ${columns} FROM ${spans} AS spans`
	return selectMerged(columns, spans, withMergedOf(traces, nearStretches(stretches, of)))
}

const selectMerged = (columns: string, spans: string, merged: string) =>
	`${merged} SELECT ${columns} FROM ${countedSpans(spans)}`

/** How the calls of these stretches are seen. */
export async function sightOf(
	store: Pick<TelemetryStore, 'query'>,
	workspaceId: string,
	stretches: readonly TimeRange[],
	options: { withTags?: boolean } = {},
): Promise<Sight> {
	const [isAcross, inheritance] = await Promise.all([
		areAcrossTraces(store, workspaceId, stretches),
		findNames(store, workspaceId, stretches, options),
	])
	return { isAcross, inheritance }
}

/** Whether a call of these stretches may have been seen in several traces. */
async function areAcrossTraces(
	store: Pick<TelemetryStore, 'query'>,
	workspaceId: string,
	stretches: readonly TimeRange[],
): Promise<boolean> {
	if (stretches.length === 0) return false
	const sql = findSharedKey(nearStretches(stretches.length))
	return (await readStore(() => store.query(sql, stretchParameters(workspaceId, stretches)))).length > 0
}

/** Whatever did not succeed: failed, refused, or without an outcome. */
export const isError = isFailed()
