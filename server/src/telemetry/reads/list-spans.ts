import type { OutputOf, QueryOf, telemetryOperations } from '@signalbox/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import { notFound } from '../../platform/errors.ts'
import { readTimeRange } from '../../platform/time-range.ts'
import { presentSpan } from '../present-span.ts'
import { scoresOfTrace } from '../scores/list-scores.ts'
import type { SpanRow } from '../span-row.ts'
import { linksOfTrace } from '../tool-links/list-tool-links.ts'
import { openCursor, sealCursor } from './cursor.ts'
import { findSpans, findTrace, type QueryStore } from './repository.ts'
import { findLinkedTraces } from './trace-repository.ts'

export interface ReadDependencies {
	telemetry: QueryStore
	sealer: Sealer
	clock: Clock
}

type Operations = typeof telemetryOperations

export async function listSpans(
	{ telemetry, sealer, clock }: ReadDependencies,
	workspaceId: string,
	{ start, end, limit, cursor, ...filter }: QueryOf<Operations['spans']>,
): Promise<OutputOf<Operations['spans']>> {
	const position = cursor === undefined ? null : openCursor(sealer, workspaceId, cursor)
	const range =
		position?.range ??
		readTimeRange({ ...(start !== undefined && { start }), ...(end !== undefined && { end }) }, clock.nowMs())
	const rows = await findSpans(telemetry, workspaceId, {
		range,
		filter,
		after: position?.place ?? null,
		limit: limit + 1,
	})
	return toPage(rows, limit, (last) => sealCursor(sealer, workspaceId, last, range))
}

export async function getTrace(
	{ telemetry, sealer, clock }: ReadDependencies,
	workspaceId: string,
	traceId: string,
	{ limit, cursor }: QueryOf<Operations['trace']>,
): Promise<OutputOf<Operations['trace']>> {
	if (!/^[0-9a-fA-F]{32}$/.test(traceId)) throw notFound('trace')
	const id = traceId.toLowerCase()
	const after = cursor === undefined ? null : openCursor(sealer, workspaceId, cursor).place
	const [linked, scores, toolLinks] = await Promise.all([
		findLinkedTraces(telemetry, workspaceId, [id]),
		scoresOfTrace({ telemetry, clock }, workspaceId, traceId),
		linksOfTrace(telemetry, workspaceId, id),
	])
	const traceIds = linked.get(id) ?? [id]
	const rows = await findTrace(telemetry, workspaceId, { traceIds, after, limit: limit + 1 })
	if (rows.length === 0 && !after) throw notFound('trace')
	return {
		trace_id: id,
		trace_ids: [...traceIds],
		scores,
		tool_links: toolLinks,
		...toPage(rows, limit, (last) => sealCursor(sealer, workspaceId, last, null)),
	}
}

/** One row more than asked for tells that there is another page. */
function toPage(rows: readonly SpanRow[], limit: number, toCursor: (last: SpanRow) => string) {
	const shown = rows.slice(0, limit)
	const last = shown.at(-1)
	return { spans: shown.map(presentSpan), next_cursor: last && rows.length > limit ? toCursor(last) : null }
}
