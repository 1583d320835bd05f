import { durableSettings } from '../../platform/clickhouse/migrate.ts'
import { definitionsOf, namesOf, retentionColumn, text, time } from '../columns.ts'
import { RowWriter } from '../row-writer.ts'
import { writeArray } from '../span-row-binary.ts'
import { hour, nowMs } from './rollup-tables.ts'

/**
 * Facts about single calls beyond their own spans: a row for each call that is a view of another one, or takes names from other
 * spans. Derived from `spans`, so not in backups. A row replaces the previous row of the same call; an empty row therefore revokes
 * it.
 */
export const callJoins = 'call_joins'

const joinColumns = [
	['workspace_id', text],
	retentionColumn,
	hour,
	['started_at', time],
	['trace_id', 'FixedString(16) CODEC(ZSTD(1))'],
	['span_id', 'FixedString(8) CODEC(ZSTD(1))'],
	/** 0: it is counted. 1: it is a view of another call. 2: it is a view of one of several calls, and it is not known of which. */
	['is_hidden', 'UInt8'],
	/** The call that is counted, or may be. */
	['counted_trace', 'FixedString(16) CODEC(ZSTD(1))'],
	['counted_span', 'FixedString(8) CODEC(ZSTD(1))'],
	/** Session, user and agent of the call, where its own span has none or others. */
	['session_id', text],
	['user_id', text],
	['agent_id', text],
	['agent_name', text],
	/** Attributes inherited from its ancestors. */
	['tags', 'Map(String, String) CODEC(ZSTD(1))'],
	/** By the engine's clock. */
	['joined_ms', 'UInt64 CODEC(Delta, ZSTD(1))'],
] as const

export const createCallJoins = `CREATE TABLE IF NOT EXISTS ${callJoins} (${definitionsOf(joinColumns)})
	ENGINE = ReplacingMergeTree(joined_ms) PARTITION BY (retention_days, toDate(hour)) ORDER BY (workspace_id, hour, trace_id, span_id)
	${durableSettings({ extra: { ttl_only_drop_parts: 1 } })}`

/** By the engine's clock, so that it can be compared with a step of the rollups. */
export const stampCallJoins = `ALTER TABLE ${callJoins} MODIFY COLUMN joined_ms UInt64 DEFAULT ${nowMs} CODEC(Delta, ZSTD(1))`

/** A row, in the order of its columns. Times are in seconds and microseconds, ids are hex digits. */
export interface CallJoin {
	workspaceId: string
	retentionDays: number
	hourS: number
	startUs: number
	trace: string
	span: string
	isHidden: number
	countedTrace: string
	countedSpan: string
	/** Session id, user id, agent id and agent name. */
	names: readonly string[]
	tags: Readonly<Record<string, string>>
}
export const callJoinColumnNames = namesOf(joinColumns).filter((name) => name !== 'joined_ms')

const writer = new RowWriter(16 * 1024)
export function encodeCallJoin(row: CallJoin): Buffer {
	const w = writer
	w.reset()
	w.text(row.workspaceId)
	w.uint16(row.retentionDays)
	w.uint32(row.hourS)
	w.int64(BigInt(Math.round(row.startUs)) * 1000n)
	w.hex(row.trace, 16)
	w.hex(row.span, 8)
	w.byte(row.isHidden)
	w.hex(row.countedTrace, 16)
	w.hex(row.countedSpan, 8)
	for (const name of row.names) w.text(name)
	writeArray(w, Object.entries(row.tags), ([name, value]) => {
		w.text(name)
		w.text(value)
	})
	return w.take()
}

/**
 * Keys of the last hour's calls, which was used to match arriving calls. The keys are now kept in memory, and the table is dropped.
 */
const callKeys = 'call_keys'

export const createCallKeys = `CREATE TABLE IF NOT EXISTS ${callKeys} (workspace_id String CODEC(ZSTD(1)), key UInt64, trace_id FixedString(16), span_id FixedString(8),
		started_at DateTime64(3, 'UTC'), is_model UInt8, is_otlp UInt8, rank UInt8, side UInt64, written_at DateTime('UTC') DEFAULT now('UTC'))
	ENGINE = ReplacingMergeTree PARTITION BY toStartOfTenMinutes(written_at) ORDER BY (workspace_id, key, trace_id, span_id)
	TTL written_at + INTERVAL 1 HOUR ${durableSettings({ extra: { ttl_only_drop_parts: 1 } })}`

export const dropCallKeys = `DROP TABLE IF EXISTS ${callKeys} SYNC`

/**
 * Pairs of traces that belong together: those of a call that was recorded in several traces without a trace context between them,
 * and those of a tool call and the model call that requested it. Each pair is stored in both directions.
 */
export const traceLinks = 'trace_links'

const linkColumns = [
	['workspace_id', text],
	retentionColumn,
	['trace_id', 'FixedString(16)'],
	['linked_trace', 'FixedString(16)'],
	['started_at', "DateTime('UTC')"],
] as const
export const traceLinkColumnNames = namesOf(linkColumns)

export const createTraceLinks = `CREATE TABLE IF NOT EXISTS ${traceLinks} (${definitionsOf(linkColumns)})
	ENGINE = ReplacingMergeTree PARTITION BY (retention_days, toDate(started_at)) ORDER BY (workspace_id, trace_id, linked_trace)
	${durableSettings({ extra: { ttl_only_drop_parts: 1 } })}`

/** Both rows of a pair. Ids are hex digits. */
export function encodeTraceLink(pair: {
	workspaceId: string
	retentionDays: number
	traces: readonly [string, string]
	startS: number
}): Buffer {
	const w = writer
	w.reset()
	const [one, other] = pair.traces
	for (const [trace, linked] of [
		[one, other],
		[other, one],
	] as const) {
		w.text(pair.workspaceId)
		w.uint16(pair.retentionDays)
		w.hex(trace, 16)
		w.hex(linked, 16)
		w.uint32(pair.startS)
	}
	return w.take()
}

/** Attributes that apply to all descendants of a span: tags, metadata and the trace's name, in each dialect. */
export const tagPrefixes = [
	...['langfuse.trace.', 'langfuse.release', 'langfuse.version', 'langfuse.environment'],
	...['traceloop.association.properties.', 'lmnr.association.properties.', 'ai.telemetry.metadata.'],
	...['ai.settings.context.', 'langsmith.metadata.', 'mastra.metadata.', 'gen_ai.agent.', 'gen_ai.workflow.'],
]
export const tagKeys = [
	'tag.tags',
	'metadata',
	'logfire.tags',
	'langsmith.span.tags',
	'traceloop.workflow.name',
]

export const isTagName = (name: string) =>
	tagKeys.includes(name) || tagPrefixes.some((prefix) => name.startsWith(prefix))
