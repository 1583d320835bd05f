import type { TelemetryStore } from '../platform/clickhouse/index.ts'
import type { TimeRange } from '../platform/time-range.ts'
import { readStore } from '../telemetry/index.ts'
import { findSharedKey, withHidden } from './merge-views.ts'

/** How far from a call other views of it are looked for, so that any range counts it once and in the same way. */
const nearMs = 60 * 60 * 1000

/** Times between two parameters, which `stretchParameters` gives. */
const between = (start: string, end: string) =>
	`(started_at >= fromUnixTimestamp64Milli({${start}:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({${end}:Int64}, 'UTC'))`
const ofWorkspace = 'workspace_id = {workspace:String}'
const isCall = "kind IN ('tool_call', 'model_call')"

/** Rows of one of so many stretches of time. */
export const inStretches = (count: number) => anyStretch(count, 'start', 'end')
const nearStretches = (count: number) => anyStretch(count, 'near_start', 'near_end')

function anyStretch(count: number, start: string, end: string): string {
	const any = Array.from({ length: count }, (_, at) => between(`${start}_${at}`, `${end}_${at}`))
	return `${ofWorkspace} AND (${any.join(' OR ')})`
}

/** Parameters of the SQL of this file. */
export function stretchParameters(
	workspaceId: string,
	stretches: readonly TimeRange[],
): Record<string, unknown> {
	const entries = stretches.flatMap(({ startMs, endMs }, at) => [
		[`start_${at}`, startMs],
		[`end_${at}`, endMs],
		[`near_start_${at}`, startMs - nearMs],
		[`near_end_${at}`, endMs + nearMs],
	])
	return { workspace: workspaceId, ...Object.fromEntries(entries) }
}

/** `WITH … SELECT columns` of the calls that count in so many stretches of time, each once. */
export const selectCountedCalls = (columns: string, stretches: number, isAcross: boolean) =>
	`${withHidden(nearStretches(stretches), isAcross)} SELECT ${columns} FROM spans
	LEFT ANTI JOIN hidden ON hidden.trace_id = spans.trace_id AND hidden.span_id = spans.span_id
	WHERE ${inStretches(stretches)} AND ${isCall}`

/** Whether a call of these stretches may have been seen in several traces. */
export async function areAcrossTraces(
	store: Pick<TelemetryStore, 'query'>,
	workspaceId: string,
	stretches: readonly TimeRange[],
): Promise<boolean> {
	if (stretches.length === 0) return false
	const sql = findSharedKey(nearStretches(stretches.length))
	return (await readStore(() => store.query(sql, stretchParameters(workspaceId, stretches)))).length > 0
}

/** Whatever did not succeed: failed, refused, or without an outcome. */
export const isError = "status IN ('error', 'denied', 'interrupted')"
