import type { OutputOf, QueryOf, telemetryOperations, telemetryQueryOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { notFound } from '../../platform/errors.ts'
import { readTimeRange, type TimeRange } from '../../platform/time-range.ts'
import { orNull, presentSpan } from '../present-span.ts'
import { evaluationEvent, scoresOfTrace } from '../scores/scores.ts'
import type { SpanRow } from '../span-row.ts'
import { linksOfTrace } from '../tool-links/list-tool-links.ts'
import { findRunsOfTrace, runsAmong } from '../tool-links/tool-link-repository.ts'
import { openCursor, openPlace, type ReadDependencies, sealCursor, sealPlace } from './cursor.ts'
import { readNamePage } from './name-place.ts'
import {
	findBesideTrace,
	findLinkedTraces,
	findSpans,
	findTrace,
	findTraces,
	type QueryStore,
	type SpanFilter,
	type StoredTrace,
	type TracePlace,
} from './span-repository.ts'
import type { SpanPage } from './stored-span.ts'
import { findResources, type StoredResource } from './value-repository.ts'

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
	const after = position?.place ?? null
	const page = await findSpans(telemetry, workspaceId, { range, filter, after, limit })
	return presentPage(page, (last) => sealCursor(sealer, workspaceId, last, range))
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
	const read = (traceIds: readonly string[]) => findTrace(telemetry, workspaceId, { traceIds, after, limit })
	const [alone, beside] = await Promise.all([
		read([id]),
		findBesideTrace(telemetry, workspaceId, id, evaluationEvent),
	])
	const isWhole = !after && !alone.hasMore
	const [linked, scores, toolLinks] = await Promise.all([
		beside.isLinked ? findLinkedTraces(telemetry, workspaceId, [id]) : null,
		beside.hasScores ? scoresOfTrace({ telemetry, clock }, workspaceId, id) : [],
		linksOfTrace(telemetry, workspaceId, id, {
			runs: isWhole ? runsAmong(alone.rows) : await findRunsOfTrace(telemetry, workspaceId, id),
			sessions: beside.sessions,
		}),
	])
	const traceIds = linked?.get(id) ?? [id]
	const page = traceIds.length > 1 ? await read(traceIds) : alone
	if (page.rows.length === 0 && !after) throw notFound('trace')
	return {
		trace_id: id,
		trace_ids: [...traceIds],
		scores,
		tool_links: toolLinks,
		...presentPage(page, (last) => sealCursor(sealer, workspaceId, last, null)),
	}
}

function presentPage({ rows, hasMore }: SpanPage, toCursor: (last: SpanRow) => string) {
	const last = rows.at(-1)
	return { spans: rows.map(presentSpan), next_cursor: last && hasMore ? toCursor(last) : null }
}

type TraceList = (typeof telemetryQueryOperations)['traces']

interface TraceCursor extends TracePlace {
	startMs: number
	endMs: number
}

/** Traces by their first span in the range, newest first. */
export async function listTraces(
	{ telemetry, sealer, clock }: ReadDependencies,
	workspaceId: string,
	{ start, end, limit, cursor, ...filter }: QueryOf<TraceList>,
): Promise<OutputOf<TraceList>> {
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

/** Merges linked traces into one row, at the position of the newest matching one, with the totals of all of them in the range. */
async function joinLinked(
	telemetry: QueryStore,
	workspaceId: string,
	shown: readonly StoredTrace[],
	{ range, filter }: { range: TimeRange; filter: SpanFilter },
): Promise<OutputOf<TraceList>['traces']> {
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
		// The newest, since the list is newest first.
		const first = wanted.find((one) => ids.includes(one.trace))
		if (first && first.trace !== trace.trace) return []
		const parts = all.filter((one) => ids.includes(one.trace)).reverse()
		return [presentTrace(parts.length > 0 ? parts : [trace])]
	})
}

/** `parts`: earliest first. */
function presentTrace(parts: readonly StoredTrace[]): OutputOf<TraceList>['traces'][number] {
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

type ResourceList = (typeof telemetryQueryOperations)['resources']

/** The services that sent telemetry in a range. */
export async function listResources(
	dependencies: ReadDependencies,
	workspaceId: string,
	{ service, attribute, ...page }: QueryOf<ResourceList>,
): Promise<OutputOf<ResourceList>> {
	const filter = { ...(service !== undefined && { service }), ...(attribute && { attribute }) }
	const list = { workspaceId, kind: 'resource_cursor' }
	const { rows, nextCursor } = await readNamePage(dependencies, list, page, (wanted) =>
		findResources(dependencies.telemetry, workspaceId, filter, wanted),
	)
	return { resources: rows.map(present), next_cursor: nextCursor }
}

function present(found: StoredResource): OutputOf<ResourceList>['resources'][number] {
	return {
		service_name: orNull(found.service),
		service_namespace: orNull(found.namespace),
		service_version: orNull(found.version),
		environment: orNull(found.environment),
		spans: Number(found.spans),
		log_records: Number(found.log_records),
		data_points: Number(found.data_points),
		first_seen_at: toIso(Number(found.first_ms)),
		last_seen_at: toIso(Number(found.last_ms)),
	}
}
