import type { OutputOf, QueryOf, telemetryOperations } from '@signalbox/contract'
import { readTimeRange } from '../../platform/time-range.ts'
import { openPlace, sealPlace } from '../reads/cursor.ts'
import type { ReadDependencies } from '../reads/list-spans.ts'
import { presentLog } from './present-log.ts'
import { findLogs } from './repository.ts'

type Operation = (typeof telemetryOperations)['logs']

/** The cursor carries the range: `-24h` must not move from page to page. */
interface LogCursor {
	startMs: number
	endMs: number
	afterNs: string
	afterHash: string
}

const cursorKind = 'log_cursor'

export async function listLogs(
	{ telemetry, sealer, clock }: ReadDependencies,
	workspaceId: string,
	{ start, end, limit, cursor, ...filter }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const position =
		cursor === undefined ? null : openPlace<LogCursor>(sealer, { workspaceId, kind: cursorKind }, cursor)
	const range =
		position ??
		readTimeRange({ ...(start !== undefined && { start }), ...(end !== undefined && { end }) }, clock.nowMs())
	const rows = await findLogs(telemetry, workspaceId, { range, filter, after: position, limit })
	const last = rows.at(-1)
	const next = last && {
		startMs: range.startMs,
		endMs: range.endMs,
		afterNs: last.recorded_ns,
		afterHash: last.hash,
	}
	const isFull = rows.length >= limit
	return {
		logs: rows.map(presentLog),
		next_cursor: next && isFull ? sealPlace(sealer, { workspaceId, kind: cursorKind }, next) : null,
	}
}
