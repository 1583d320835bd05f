import type { OutputOf, QueryOf, telemetryQueryOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { readTimeRange, type TimeRange } from '../../platform/time-range.ts'
import { orNull } from '../present-span.ts'
import { openPlace, sealPlace } from './cursor.ts'
import type { ReadDependencies } from './list-spans.ts'
import type { QueryStore, SpanFilter } from './repository.ts'
import { findLinkedTraces, findTraces, type StoredTrace, type TracePlace } from './trace-repository.ts'

type Operation = (typeof telemetryQueryOperations)['traces']

interface TraceCursor extends TracePlace {
	startMs: number
	endMs: number
}

/** Traces by their first span in the range, newest first. */
export async function listTraces(
	{ telemetry, sealer, clock }: ReadDependencies,
	workspaceId: string,
	{ start, end, limit, cursor, ...filter }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const list = { workspaceId, kind: 'trace_cursor' }
	const after = cursor === undefined ? null : openPlace<TraceCursor>(sealer, list, cursor)
	const range =
		after ??
		readTimeRange({ ...(start !== undefined && { start }), ...(end !== undefined && { end }) }, clock.nowMs())
	const found = await findTraces(telemetry, workspaceId, { range, filter, after, limit: limit + 1 })
	const shown = found.slice(0, limit)
	const last = found.length > limit ? shown.at(-1) : undefined
	const { startMs, endMs } = range
	return {
		traces: await joinLinked(telemetry, workspaceId, shown, { range, filter }),
		next_cursor: last
			? sealPlace(sealer, list, { startMs, endMs, firstNs: last.first_ns, traceId: last.trace })
			: null,
	}
}

/**
 * Traces that are one become one row: where the newest of them that is as asked for stands in the list, with what all of them have in the
 * range.
 */
async function joinLinked(
	telemetry: QueryStore,
	workspaceId: string,
	shown: readonly StoredTrace[],
	{ range, filter }: { range: TimeRange; filter: SpanFilter },
): Promise<OutputOf<Operation>['traces']> {
	const linked = await findLinkedTraces(
		telemetry,
		workspaceId,
		shown.map(({ trace }) => trace),
	)
	const among = [...new Set([...linked.values()].flat())]
	if (among.length === 0) return shown.map((trace) => presentTrace([trace]))
	const asked = { range, after: null, among, limit: among.length }
	const isFiltered = Object.values(filter).some((value) => value !== undefined)
	const all = await findTraces(telemetry, workspaceId, { ...asked, filter: {} })
	const wanted = isFiltered ? await findTraces(telemetry, workspaceId, { ...asked, filter }) : all
	return shown.flatMap((trace) => {
		const ids = linked.get(trace.trace)
		if (!ids) return [presentTrace([trace])]
		// Newest first, as the list is.
		const first = wanted.find((one) => ids.includes(one.trace))
		if (first && first.trace !== trace.trace) return []
		const parts = all.filter((one) => ids.includes(one.trace)).reverse()
		return [presentTrace(parts.length > 0 ? parts : [trace])]
	})
}

/** `parts`: the earliest first. */
function presentTrace(parts: readonly StoredTrace[]): OutputOf<Operation>['traces'][number] {
	const trace = parts[0] as StoredTrace
	const firstNs = BigInt(trace.first_ns)
	const [endNs = 0n] = parts.map(({ end_ns }) => BigInt(end_ns)).sort((a, b) => (a < b ? 1 : -1))
	const sum = (of: 'spans' | 'errors') => parts.reduce((all, part) => all + Number(part[of]), 0)
	return {
		trace_id: trace.trace,
		name: trace.name,
		started_at: toIso(Number(firstNs / 1_000_000n)),
		duration_ms: Number(endNs - firstNs) / 1e6,
		spans: sum('spans'),
		errors: sum('errors'),
		services: [...new Set(parts.flatMap(({ services }) => services))].sort().slice(0, 20),
		session_id: orNull(parts.find(({ session }) => session)?.session ?? ''),
		user_id: orNull(parts.find(({ user }) => user)?.user ?? ''),
		trace_ids: parts.map((part) => part.trace),
	}
}
