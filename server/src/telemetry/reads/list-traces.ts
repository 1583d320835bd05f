import type { OutputOf, QueryOf, telemetryQueryOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { readTimeRange } from '../../platform/time-range.ts'
import { orNull } from '../present-span.ts'
import { openPlace, sealPlace } from './cursor.ts'
import type { ReadDependencies } from './list-spans.ts'
import { findTraces, type StoredTrace, type TracePlace } from './trace-repository.ts'

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
		traces: shown.map(presentTrace),
		next_cursor: last
			? sealPlace(sealer, list, { startMs, endMs, firstNs: last.first_ns, traceId: last.trace })
			: null,
	}
}

function presentTrace(trace: StoredTrace): OutputOf<Operation>['traces'][number] {
	const [firstNs, endNs] = [BigInt(trace.first_ns), BigInt(trace.end_ns)]
	return {
		trace_id: trace.trace,
		name: trace.name,
		started_at: toIso(Number(firstNs / 1_000_000n)),
		duration_ms: Number(endNs - firstNs) / 1e6,
		spans: Number(trace.spans),
		errors: Number(trace.errors),
		services: trace.services,
		session_id: orNull(trace.session),
		user_id: orNull(trace.user),
	}
}
