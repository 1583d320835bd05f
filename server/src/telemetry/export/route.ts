import type { IncomingMessage, ServerResponse } from 'node:http'
import { telemetryExports } from '@signalbox/contract'
import type { Static } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import {
	createQueryReader,
	drained,
	principalIn,
	type RequestContext,
	type Route,
} from '../../platform/http/index.ts'
import { readTimeRange, type TimeRange } from '../../platform/time-range.ts'
import { findLogs, type StoredLog } from '../logs/repository.ts'
import { findPoints, type PlacedPoint } from '../metrics/point-rows.ts'
import type { ReadDependencies } from '../reads/list-spans.ts'
import { findSpans } from '../reads/repository.ts'
import type { SpanRow } from '../span-row.ts'
import { type ExportFormat, logFormats, pointFormats, spanFormats } from './formats.ts'

type Dependencies = Pick<ReadDependencies, 'telemetry' | 'clock'>

/** Rows in memory at once, however slowly the client reads. */
const batchRows = 500

interface File<Row> {
	name: string
	format: ExportFormat<Row>
	limit: number
	/** The rows after one, or the first. */
	read(after: Row | null, limit: number): Promise<Row[]>
}

/** `GET /v1/telemetry/spans/export`, `…/logs/export` and `…/metrics/export`: what is stored as a file, written as the client takes it. */
export function exportRoutes(dependencies: Dependencies): Route[] {
	const readSpans = createQueryReader(telemetryExports.spans.query)
	const readLogs = createQueryReader(telemetryExports.logs.query)
	const readPoints = createQueryReader(telemetryExports.metrics.query)
	return [
		{
			...routeOf('spans'),
			handle: (request, response, context) =>
				sendFile(request, response, spanFile(dependencies, context, readSpans(context.search))),
		},
		{
			...routeOf('logs'),
			handle: (request, response, context) =>
				sendFile(request, response, logFile(dependencies, context, readLogs(context.search))),
		},
		{
			...routeOf('metrics'),
			handle: (request, response, context) =>
				sendFile(request, response, pointFile(dependencies, context, readPoints(context.search))),
		},
	]
}

function routeOf(signal: keyof typeof telemetryExports): Omit<Route, 'handle'> {
	const { id, method, path, access } = telemetryExports[signal]
	return { id, method, path, access, family: 'api' }
}

function spanFile(
	{ telemetry, clock }: Dependencies,
	context: RequestContext,
	{ format, limit, start, end, ...filter }: Static<typeof telemetryExports.spans.query>,
): File<SpanRow> {
	const range = rangeOf(start, end, clock)
	const { workspaceId } = principalIn(context)
	const placeOf = (row: SpanRow) => ({
		startNs: String(row.startNs),
		traceId: row.traceId,
		spanId: row.spanId,
	})
	return {
		name: `spans.${extensions[format]}`,
		format: spanFormats[format],
		limit,
		read: (last, limit) =>
			findSpans(telemetry, workspaceId, { range, filter, after: last && placeOf(last), limit }),
	}
}

function logFile(
	{ telemetry, clock }: Dependencies,
	context: RequestContext,
	{ format, limit, start, end, ...filter }: Static<typeof telemetryExports.logs.query>,
): File<StoredLog> {
	const range = rangeOf(start, end, clock)
	const { workspaceId } = principalIn(context)
	const placeOf = (log: StoredLog) => ({ afterNs: log.recorded_ns, afterHash: log.hash })
	return {
		name: `logs.${extensions[format]}`,
		format: logFormats[format],
		limit,
		read: (last, limit) =>
			findLogs(telemetry, workspaceId, { range, filter, after: last && placeOf(last), limit }),
	}
}

function pointFile(
	{ telemetry, clock }: Dependencies,
	context: RequestContext,
	{ format, limit, start, end, ...filter }: Static<typeof telemetryExports.metrics.query>,
): File<PlacedPoint> {
	const range = rangeOf(start, end, clock)
	const { workspaceId } = principalIn(context)
	return {
		name: `metrics.${extensions[format]}`,
		format: pointFormats[format],
		limit,
		read: (after, limit) => findPoints(telemetry, workspaceId, { range, filter, after, limit }),
	}
}

function rangeOf(start: string | undefined, end: string | undefined, clock: Clock): TimeRange {
	return readTimeRange({ ...(start && { start }), ...(end && { end }) }, clock.nowMs())
}

const extensions = { jsonl: 'jsonl', csv: 'csv', otlp: 'otlp.jsonl' } as const

async function sendFile<Row>(
	request: IncomingMessage,
	response: ServerResponse,
	file: File<Row>,
): Promise<void> {
	// Before the head, so that a store that does not answer is still told by a status.
	const first = await file.read(null, Math.min(batchRows, file.limit))
	response.writeHead(200, {
		'content-type': file.format.contentType,
		'content-disposition': `attachment; filename="${file.name}"`,
		'cache-control': 'no-store',
	})
	if (request.method === 'HEAD') return void response.end()
	response.write(file.format.head)
	let left = file.limit
	for (let rows = first; rows.length > 0 && !response.destroyed; ) {
		const shown = rows.slice(0, left)
		left -= shown.length
		if (!response.write(file.format.text(shown))) await drained(response)
		rows = left > 0 ? await file.read(shown.at(-1) as Row, Math.min(batchRows, left)) : []
	}
	response.end()
}
