import { createHash } from 'node:crypto'
import {
	langfuseOperations,
	type OutputOf,
	scoreOperations,
	telemetryOperations,
	telemetryQueryOperations,
} from '@signalbox/contract'
import type { TelemetryStore } from '../platform/clickhouse/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sealer } from '../platform/crypto/seal.ts'
import type { DataDisk } from '../platform/data-disk.ts'
import { notFound, type Problem } from '../platform/errors.ts'
import type { EventLoop } from '../platform/health/event-loop.ts'
import type { Figure } from '../platform/health/metrics.ts'
import { type BoundOperation, bind } from '../platform/http/operations.ts'
import type { Principal } from '../platform/http/principal.ts'
import { principalIn, type RefusalWriter, type Route } from '../platform/http/route.ts'
import { type Processes, primary, singleProcess } from '../platform/processes/processes.ts'
import { WatchedWorkspaces } from '../platform/processes/watched-workspaces.ts'
import { createRecordCalls, type RecordCalls } from './call-recording/call-recording.ts'
import { fromSpansOfTraces } from './columns.ts'
import { type TextRules, textRules } from './exchanges/exchange.ts'
import { findExchange, findTexts } from './exchanges/exchange-repository.ts'
import { findMessagesOfSpan, findToolContent } from './exchanges/message-repository.ts'
import { exportRoutes } from './export/export-route.ts'
import { ingestFigures, openIngestState, presentRecorder } from './ingest-figures.ts'
import { LiveTail, liveRoute, passToPrimary, showFromWorkers } from './live/live-tail.ts'
import { listLogs, logFacets } from './logs/list-logs.ts'
import { listMetrics, metricFacets } from './metrics/list-metrics.ts'
import { readPoints } from './metrics/points/read-points.ts'
import { countRefusals } from './otlp/answers.ts'
import { IngestCounts } from './otlp/ingest-counts.ts'
import { otlpRoutes } from './otlp/otlp-routes.ts'
import { getTrace, listResources, listSpans, listTraces } from './reads/list-spans.ts'
import { readFacets } from './reads/value-repository.ts'
import type { NewestRows, Recorder, RecorderStats } from './recorder/recorder.ts'
import { type RuleSet, redactCall } from './redaction/redactor.ts'
import type { RedactionView } from './redaction/rules/redaction-rules.ts'
import type { RetentionView } from './retention/retention.ts'
import {
	createScore,
	langfuseProjects,
	listScores,
	takeLangfuseEvents,
	takeLangfuseScores,
} from './scores/scores.ts'
import type { SpanRow } from './span-row.ts'
import { listToolLinks } from './tool-links/list-tool-links.ts'

interface TelemetryDependencies {
	recorder: Recorder
	telemetry: Pick<TelemetryStore, 'query'>
	sealer: Sealer
	clock: Clock
	identity: { stillValid(principal: Principal): Problem | null }
	retention: RetentionView
	redaction: RedactionView
	/** The disk of the embedded store. */
	disk?: DataDisk | null
	/** Identifies this machine among several, for operators. */
	nodeUrl?: string | null
	/** Absent if this is the only process. */
	processes?: Processes
	watched?: WatchedWorkspaces
	/** Called for recorded calls, including those of workers. */
	showCalls?(rows: readonly SpanRow[]): void
	/** The combined stats of the logs of all processes. Default: those of this process. */
	statsOfAll?(): Promise<RecorderStats>
	/** Absent if its state is not reported. */
	eventLoop?: Pick<EventLoop, 'recentMs'>
	/** See `OtlpDependencies`. */
	bodyLimitBytes?: number
}

/** The retention of the rows of calls, and how they are redacted. */
export interface CallRules {
	retentionDays: number
	rules: RuleSet | undefined
	textRules: TextRules | undefined
}

interface TelemetryApi {
	operations: BoundOperation[]
	/** OTLP ingest and the live tail. */
	routes: Route[]
	/** The settings on which the rows of a workspace's calls depend. */
	rulesOf(workspaceId: string): CallRules
	recordCalls: RecordCalls
	/** Refuses an OTLP request and counts it. */
	refuse: RefusalWriter
	figures: readonly Figure[]
	/** Ends the streams of the live tail. */
	endStreams(): void
	close(): Promise<void>
}

/** Opens the telemetry API: ingest (OTLP) and reads (lists, traces, the live tail). */
export function openTelemetryApi(dependencies: TelemetryDependencies): TelemetryApi {
	const {
		recorder,
		identity,
		retention,
		redaction,
		processes = singleProcess,
		showCalls = () => {},
	} = dependencies
	const { watched = new WatchedWorkspaces(), statsOfAll = async () => recorder.stats() } = dependencies
	const { disk = null, nodeUrl = null, eventLoop = { recentMs: () => 0 } } = dependencies
	const counts = new IngestCounts()
	const reads = { ...dependencies, telemetry: withNewest(dependencies.telemetry, recorder) }
	const ingestOfAll = openIngestState({ counts, eventLoop }, processes)
	const callAsKept = (row: SpanRow): SpanRow => {
		const retentionDays = retention.daysOf(row.workspaceId, 'traces')
		return redactCall({ ...row, retentionDays }, redaction.rulesOf(row.workspaceId))
	}
	const live = new LiveTail(watched)
	const ending = new AbortController()
	const shown = processes.number === primary ? live : passToPrimary(processes, watched)
	showFromWorkers(processes, live, showCalls)
	const stopListening = recorder.onRecorded(
		(rows) => {
			shown.publish(rows)
			showCalls(rows)
		},
		(workspaceId) => watched.has(workspaceId),
	)
	const { stillValid } = identity
	const otlp = otlpRoutes({ ...dependencies, live: shown, stillValid, counts })
	const queries = bind(telemetryQueryOperations, {
		recorder: async () => {
			const [stats, ingest] = await Promise.all([statsOfAll(), ingestOfAll()])
			return presentRecorder({ stats, ingest, disk, nodeUrl })
		},
		traces: ({ query, context }) => listTraces(reads, principalIn(context).workspaceId, query),
		resources: ({ query, context }) => listResources(reads, principalIn(context).workspaceId, query),
		messages: ({ params, context }) => getMessages(reads, principalIn(context).workspaceId, params),
		tool_links: ({ query, context }) => listToolLinks(reads, principalIn(context).workspaceId, query),
		log_facets: ({ query, context }) => readFacets(reads, principalIn(context).workspaceId, logFacets, query),
		metric_facets: ({ query, context }) =>
			readFacets(reads, principalIn(context).workspaceId, metricFacets, query),
		points: ({ query, context }) => readPoints(reads, principalIn(context).workspaceId, query),
	})
	const scores = bind(scoreOperations, {
		create: ({ body, context }) => createScore(dependencies, principalIn(context), body),
		list: ({ query, context }) => listScores(reads, principalIn(context).workspaceId, query),
	})
	const langfuse = bind(langfuseOperations, {
		projects: async ({ context }) => langfuseProjects(principalIn(context)),
		ingestion: ({ body, context }) => takeLangfuseEvents(dependencies, principalIn(context), body),
		scores: ({ body, context }) => takeLangfuseScores(dependencies, principalIn(context), body),
	})
	return {
		operations: [
			...scores,
			...langfuse,
			...queries,
			...bind(telemetryOperations, {
				logs: ({ query, context }) => listLogs(reads, principalIn(context).workspaceId, query),
				metrics: ({ query, context }) => listMetrics(reads, principalIn(context).workspaceId, query),
				spans: ({ query, context }) => listSpans(reads, principalIn(context).workspaceId, query),
				trace: ({ params, query, context }) =>
					getTrace(reads, principalIn(context).workspaceId, params.trace_id, query),
			}),
		],
		routes: [
			...otlp.routes,
			...exportRoutes(dependencies),
			liveRoute({ live, stillValid, ending: ending.signal }),
		],
		rulesOf: (workspaceId) => {
			const rules = redaction.rulesOf(workspaceId)
			const retentionDays = retention.daysOf(workspaceId, 'traces')
			return { retentionDays, rules, textRules: textRules(rules) }
		},
		recordCalls: createRecordCalls(recorder, callAsKept),
		refuse: countRefusals(counts),
		figures: ingestFigures(counts),
		endStreams: () => ending.abort(),
		close: async () => {
			stopListening()
			await otlp.close()
		},
	}
}

type Carried = OutputOf<(typeof telemetryQueryOperations)['messages']>
type CarriedMessage = Carried['messages'][number]

const maxCharacters = 256 * 1024

/**
 * The content of a call: for a model call, its prompt in order and then the answer; for a tool call, its arguments and result. What
 * the proxy recorded takes precedence over the span's attributes.
 */
async function getMessages(
	{ telemetry }: { telemetry: QueryStore },
	workspaceId: string,
	{ trace_id, span_id }: { trace_id: string; span_id: string },
): Promise<Carried> {
	const areIds = /^[0-9a-f]{32}$/i.test(trace_id) && /^[0-9a-f]{16}$/i.test(span_id)
	const exchange = areIds ? await findExchange(telemetry, workspaceId, trace_id, span_id) : null
	if (!exchange) {
		const messages = areIds ? await messagesInSpan(telemetry, workspaceId, trace_id, span_id) : []
		if (messages.length === 0) throw notFound('call with recorded messages')
		return { trace_id: trace_id.toLowerCase(), span_id: span_id.toLowerCase(), session_id: null, messages }
	}
	const texts = await findTexts(telemetry, workspaceId, exchange)
	return {
		trace_id: exchange.traceId,
		span_id: exchange.spanId,
		session_id: exchange.sessionId || null,
		messages: exchange.parts.map(({ kind, name, hash, bytes }) => ({
			kind,
			name: name || null,
			hash,
			bytes,
			text: texts.get(hash) ?? null,
		})),
	}
}

async function messagesInSpan(
	store: QueryStore,
	workspaceId: string,
	traceId: string,
	spanId: string,
): Promise<CarriedMessage[]> {
	const call = { traceId, spanId }
	const [span, [tool]] = await Promise.all([
		findMessagesOfSpan(store, workspaceId, call),
		findToolContent(store, workspaceId, [{ traceId: traceId.toLowerCase(), spanId: spanId.toLowerCase() }]),
	])
	return [
		...(span?.messages ?? []).map(({ kind, role, value }) =>
			toMessage(kind, role, JSON.stringify(value) ?? ''),
		),
		...(tool?.content ?? []).map(({ kind, text }) => toMessage(kind, '', text)),
	]
}

function toMessage(kind: CarriedMessage['kind'], name: string, text: string): CarriedMessage {
	return {
		kind,
		name: name || null,
		hash: createHash('md5').update(`${name}\n${text}`).digest('hex'),
		bytes: Buffer.byteLength(text),
		text: text.slice(0, maxCharacters).toWellFormed(),
	}
}

type QueryStore = Pick<TelemetryStore, 'query'>
export type NewestSource = Pick<Recorder, 'storeSoon' | 'newest' | 'watched'>

const tables = ['spans', 'logs', 'metrics'] as const
const anyTable = new RegExp(`\\bFROM (${tables.join('|')})\\b( AS \\w+)?`, 'g')

const traceId = /^[0-9a-f]{32}$/i

/** The traces to which a query is limited; undefined if it may concern others. */
function tracesOf(sql: string, asked: ReadonlySet<string>, traces: unknown): string[] | undefined {
	if (!sql.includes(fromSpansOfTraces) || asked.size > 1 || !Array.isArray(traces)) return undefined
	if ((sql.match(anyTable)?.length ?? 0) > 1 || !traces.every((id) => traceId.test(String(id))))
		return undefined
	return traces
}

/**
 * A store whose queries on a workspace's spans, logs and metrics (parameter `workspace`) also read acknowledged rows that are only in
 * the log, each row once. A query on other tables hurries pending rows into the store, so that a repeated query finds them a moment
 * later.
 */
export function withNewest({ query }: QueryStore, recorder: NewestSource): QueryStore {
	return {
		query: async <Row>(sql: string, parameters: Record<string, unknown> = {}): Promise<Row[]> => {
			const asked = new Set([...sql.matchAll(anyTable)].map(([, table]) => table as string))
			const workspaceId = parameters.workspace
			if (asked.size === 0 || typeof workspaceId !== 'string') {
				recorder.storeSoon()
				return query<Row>(sql, parameters)
			}
			const newest = new Map<string, NewestRows>()
			const traces = tracesOf(sql, asked, parameters.traces)
			// Marked as watched, because a list that is polled would otherwise read all pending rows from the log each time.
			if (asked.has('spans') && !traces) void recorder.watched()
			try {
				for (const table of asked) {
					const found = await recorder.newest(table, workspaceId, traces)
					if (found === 'unknown') recorder.storeSoon()
					else if (found !== 'none') newest.set(table, found)
				}
				return await query<Row>(withFiles(sql, newest), parameters)
			} finally {
				for (const { release } of newest.values()) release()
			}
		},
	}
}

function withFiles(sql: string, newest: ReadonlyMap<string, NewestRows>): string {
	return sql.replaceAll(anyTable, (whole, table: string, alias?: string) => {
		const rows = newest.get(table)
		return rows ? `FROM (${unionOf(table, rows)})${alias ?? ` AS ${table}`}` : whole
	})
}

/** The engine pushes the query's conditions and columns down into all parts of the union. */
function unionOf(table: string, { files, ofStored }: NewestRows): string {
	const columns = files[0]?.columns.join(', ')
	const stored = `SELECT ${columns} FROM ${table}${ofStored === '' ? '' : ` WHERE ${ofStored}`}`
	const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
	const inFiles = files.map(
		({ path, format, structure }) =>
			`SELECT ${columns} FROM file(${quoted(path)}, '${format}', ${quoted(structure)})`,
	)
	return [stored, ...inFiles].join(' UNION ALL ')
}
