import { csvLine } from '../../platform/csv.ts'
import { presentLog } from '../logs/present-log.ts'
import type { StoredLog } from '../logs/repository.ts'
import { presentPoint } from '../metrics/point-rows.ts'
import { presentSpan } from '../present-span.ts'
import type { SpanRow } from '../span-row.ts'
import { toLogsRequest } from './otlp-logs.ts'
import { type StoredPoint, toMetricsRequest } from './otlp-metrics.ts'
import { toTraceRequest } from './otlp-spans.ts'

export interface ExportFormat<Row> {
	contentType: string
	head: string
	/** Some rows as text; what a line is depends on the format. */
	text(rows: readonly Row[]): string
}

const jsonLines = 'application/x-ndjson; charset=utf-8'
const csv = 'text/csv; charset=utf-8; header=present'

export const spanFormats = {
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

export const logFormats = {
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

export const pointFormats = {
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

/** A cell holds text, a number, or JSON. */
function csvOf<Row, View extends object>(
	present: (row: Row) => View,
	columns: readonly (keyof View & string)[],
): ExportFormat<Row> {
	const toCell = (value: unknown) =>
		value === null || typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)
	const toLine = (view: View) => csvLine(columns.map((name) => toCell(view[name])))
	return { contentType: csv, head: csvLine(columns), text: (rows) => rows.map(present).map(toLine).join('') }
}

/** An export request for each batch: what OTLP's file exporter writes and its receivers read. */
function requestsOf<Row>(toRequest: (rows: readonly Row[]) => object): ExportFormat<Row> {
	return { contentType: jsonLines, head: '', text: (rows) => `${JSON.stringify(toRequest(rows))}\n` }
}
