import type { OutputOf, QueryOf, scoreOperations } from '@signalbox/contract'
import { readTimeRange } from '../../platform/time-range.ts'
import { findLogs, type LogFilter } from '../logs/log-repository.ts'
import type { ReadDependencies } from '../reads/cursor.ts'
import { openPlace, sealPlace } from '../reads/cursor.ts'
import { evaluationEvent, keys, presentScore, type ScoreView } from './evaluation.ts'

type Operation = (typeof scoreOperations)['list']

interface ScoreCursor {
	startMs: number
	endMs: number
	afterNs: string
	afterHash: string
}

/** Scores of a time range, newest first. */
export async function listScores(
	{ telemetry, sealer, clock }: ReadDependencies,
	workspaceId: string,
	{ start, end, limit, cursor, ...wanted }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const list = { workspaceId, kind: 'score_cursor' }
	const after = cursor === undefined ? null : openPlace<ScoreCursor>(sealer, list, cursor)
	const range =
		after ??
		readTimeRange({ ...(start !== undefined && { start }), ...(end !== undefined && { end }) }, clock.nowMs())
	const rows = await findLogs(telemetry, workspaceId, { range, filter: toFilter(wanted), after, limit })
	const last = rows.length >= limit ? rows.at(-1) : undefined
	const { startMs, endMs } = range
	return {
		scores: rows.map(presentScore),
		next_cursor: last
			? sealPlace(sealer, list, { startMs, endMs, afterNs: last.recorded_ns, afterHash: last.hash })
			: null,
	}
}

/** Nobody reads more scores of one trace, and a trace must stay quick to show. */
const maxOfTrace = 1000

/** The scores of a trace and of its calls, newest first. */
export async function scoresOfTrace(
	{ telemetry, clock }: Pick<ReadDependencies, 'telemetry' | 'clock'>,
	workspaceId: string,
	traceId: string,
): Promise<ScoreView[]> {
	const range = { startMs: 0, endMs: clock.nowMs() + 86_400_000 }
	const filter = toFilter({ trace_id: traceId })
	const rows = await findLogs(telemetry, workspaceId, { range, filter, after: null, limit: maxOfTrace })
	return rows.map(presentScore)
}

type Wanted = Omit<QueryOf<Operation>, 'start' | 'end' | 'limit' | 'cursor'>

function toFilter({ name, source, session_id, trace_id, span_id }: Wanted): LogFilter {
	const attribute = [
		...(name === undefined ? [] : [`${keys.name}=${name}`]),
		...(source === undefined ? [] : [`${keys.source}=${source}`]),
	]
	return {
		event_name: evaluationEvent,
		...(trace_id !== undefined && { trace_id }),
		...(span_id !== undefined && { span_id }),
		...(session_id !== undefined && { session: session_id }),
		attribute,
	}
}
