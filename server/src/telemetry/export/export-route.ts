import type { IncomingMessage, ServerResponse } from 'node:http'
import { telemetryExports } from '@signalbox/contract'
import type { Static } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import { csvLine } from '../../platform/csv.ts'
import { createQueryReader, drained } from '../../platform/http/read-body.ts'
import { principalIn, type RequestContext, type Route } from '../../platform/http/route.ts'
import { readTimeRange, type TimeRange } from '../../platform/time-range.ts'
import { presentLog } from '../logs/list-logs.ts'
import { findLogs, type StoredLog } from '../logs/log-repository.ts'
import { presentPoint } from '../metrics/list-metrics.ts'
import { findPoints, type PlacedPoint } from '../metrics/metric-repository.ts'
import { presentSpan } from '../present-span.ts'
import type { ReadDependencies } from '../reads/cursor.ts'
import { findSpans } from '../reads/span-repository.ts'
import { placeOf } from '../reads/stored-span.ts'
import type { SpanRow } from '../span-row.ts'
import { type StoredPoint, toLogsRequest, toMetricsRequest, toTraceRequest } from './otlp-items.ts'

interface ExportFormat<Row> {
	contentType: string
	head: string
	/** Some rows as text. The format determines what a line is. */
	text(rows: readonly Row[]): string
}

const jsonLines = 'application/x-ndjson; charset=utf-8'
const csv = 'text/csv; charset=utf-8; header=present'

const spanFormats = {
	jsonl: linesOf(presentSpan),
	csv: csvOf(presentSpan, [
		'started_at',
		'trace_id',
		'span_id',
		'parent_span_id',
		'name',
		'source',
		'kind',
		'status',
		'status_message',
		'error_type',
		'duration_ms',
		'service_name',
		'agent',
		'agent_name',
		'server',
		'server_name',
		'tool',
		'mcp_method',
		'session_id',
		'user_id',
		'client',
		'connection',
		'provider',
		'model_requested',
		'model',
		'tokens',
		'cost_nano_usd',
		'cost_usd',
		'http_status',
		'request_bytes',
		'response_bytes',
		'attributes',
		'resource',
		'events',
		'links',
	]),
	otlp: requestsOf(toTraceRequest),
} satisfies Record<string, ExportFormat<SpanRow>>

const logFormats = {
	jsonl: linesOf(presentLog),
	csv: csvOf(presentLog, [
		'recorded_at',
		'trace_id',
		'span_id',
		'severity_number',
		'severity_text',
		'event_name',
		'body',
		'attributes',
		'service_name',
		'resource',
		'scope',
	]),
	otlp: requestsOf(toLogsRequest),
} satisfies Record<string, ExportFormat<StoredLog>>

const pointFormats = {
	jsonl: linesOf(presentPoint),
	csv: csvOf(presentPoint, [
		'metric',
		'kind',
		'unit',
		'temporality',
		'is_monotonic',
		'time_unix_nano',
		'start_time_unix_nano',
		'value',
		'count',
		'sum',
		'min',
		'max',
		'bucket_counts',
		'explicit_bounds',
		'exponential',
		'quantiles',
		'exemplars',
		'attributes',
		'service_name',
		'resource',
		'scope_name',
	]),
	otlp: requestsOf(toMetricsRequest),
} satisfies Record<string, ExportFormat<StoredPoint>>

function linesOf<Row>(present: (row: Row) => object): ExportFormat<Row> {
	return {
		contentType: jsonLines,
		head: '',
		text: (rows) => rows.map((row) => `${JSON.stringify(present(row))}\n`).join(''),
	}
}

/** CSV; a cell is text, a number, or JSON. */
function csvOf<Row, View extends object>(
	present: (row: Row) => View,
	columns: readonly (keyof View & string)[],
): ExportFormat<Row> {
	const toCell = (value: unknown) =>
		value === null || typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)
	const toLine = (view: View) => csvLine(columns.map((name) => toCell(view[name])))
	return { contentType: csv, head: csvLine(columns), text: (rows) => rows.map(present).map(toLine).join('') }
}

/** One OTLP export request per batch: what OTLP's file exporter writes and its receivers read. */
function requestsOf<Row>(toRequest: (rows: readonly Row[]) => object): ExportFormat<Row> {
	return { contentType: jsonLines, head: '', text: (rows) => `${JSON.stringify(toRequest(rows))}\n` }
}

type Dependencies = Pick<ReadDependencies, 'telemetry' | 'clock'>

/** Maximum number of rows in memory, however slowly the client reads. */
const batchRows = 500

interface File<Row> {
	name: string
	format: ExportFormat<Row>
	limit: number
	/** The rows after a given one, or the first rows. */
	read(after: Row | null, limit: number): Promise<Row[]>
}

/** `GET /v1/telemetry/spans/export`, `…/logs/export` and `…/metrics/export`: stored rows as a file, streamed with back-pressure. */
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
	return { id, method, path, access, family: 'api', streams: true }
}

function spanFile(
	{ telemetry, clock }: Dependencies,
	context: RequestContext,
	{ format, limit, start, end, ...filter }: Static<typeof telemetryExports.spans.query>,
): File<SpanRow> {
	const range = rangeOf(start, end, clock)
	const { workspaceId } = principalIn(context)
	return {
		name: `spans.${extensions[format]}`,
		format: spanFormats[format],
		limit,
		read: async (last, limit) => {
			const after = last && placeOf(last)
			return (await findSpans(telemetry, workspaceId, { range, filter, after, limit })).rows
		},
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
	// Before the headers are sent, so that an unavailable store is still reported by a status code.
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
