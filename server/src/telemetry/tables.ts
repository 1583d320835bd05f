import { durableSettings } from '../platform/clickhouse/migrate.ts'
import { type Columns, definitionsOf, retentionColumn, text, time } from './columns.ts'
import { ledgerColumns, spanColumns } from './span-columns.ts'

/** The sort key of a table and its time column, independent of its other columns and its partitioning. */
export interface TableShape {
	name: 'exchanges' | 'ledger_versions' | 'logs' | 'messages' | 'metrics' | 'spans'
	/** The column with the time of the row. */
	time: string
	indexes: readonly string[]
	primaryKey: string
	orderBy: string
	/** Of rows with equal sort keys, one is enough. */
	once?: true
}

/** Smaller parts are stored as one file instead of 55, which an insert writes and flushes much faster; merges convert them. */
const widePartBytes = 128 * 1024 * 1024
const traceIndex = 'INDEX trace_id_bloom trace_id TYPE bloom_filter(0.001) GRANULARITY 1'

/** Long spans are rare, and must be found long before the calls beneath them. */
export const durationIndex = 'INDEX duration_minmax duration_ns TYPE minmax GRANULARITY 1'

export const spansShape: TableShape = {
	name: 'spans',
	time: 'started_at',
	indexes: [
		traceIndex,
		'INDEX session_id_bloom session_id TYPE bloom_filter(0.01) GRANULARITY 1',
		durationIndex,
	],
	primaryKey: 'workspace_id, toStartOfFiveMinutes(started_at), kind',
	orderBy: 'workspace_id, toStartOfFiveMinutes(started_at), kind, trace_id, span_id',
}
export const logsShape: TableShape = {
	name: 'logs',
	time: 'recorded_at',
	indexes: [traceIndex],
	primaryKey: 'workspace_id, toStartOfFiveMinutes(recorded_at)',
	orderBy: 'workspace_id, toStartOfFiveMinutes(recorded_at), recorded_at',
}
export const metricsShape: TableShape = {
	name: 'metrics',
	time: 'recorded_at',
	indexes: [],
	primaryKey: 'workspace_id, metric, toStartOfHour(recorded_at)',
	orderBy: 'workspace_id, metric, toStartOfHour(recorded_at), recorded_at',
}

/** The calls of a conversation are adjacent, because their lists of hashes are nearly the same. */
export const exchangesShape: TableShape = {
	name: 'exchanges',
	time: 'recorded_at',
	indexes: [traceIndex],
	primaryKey: 'workspace_id, session_id, recorded_at',
	orderBy: 'workspace_id, session_id, recorded_at, trace_id, span_id',
}
export const messagesShape: TableShape = {
	name: 'messages',
	time: 'recorded_at',
	indexes: [],
	primaryKey: 'workspace_id, hash',
	orderBy: 'workspace_id, hash',
	once: true,
}

/** The tables whose rows have a retention. */
export const retainedTables = [
	exchangesShape.name,
	'ledger_versions',
	logsShape.name,
	messagesShape.name,
	metricsShape.name,
	spansShape.name,
] as const

/** `partitionBy` is the partition key. The name is the shape's unless another one is given. */
export function createTable(
	shape: TableShape,
	{ columns, partitionBy, name = shape.name }: { columns: Columns; partitionBy: string; name?: string },
): string {
	const parts = [definitionsOf(columns), ...shape.indexes.map((index) => `\t${index}`)]
	return `CREATE TABLE IF NOT EXISTS ${name} (
${parts.join(',\n')}
)
ENGINE = ${shape.once ? 'ReplacingMergeTree' : 'MergeTree'}
PARTITION BY ${partitionBy}
PRIMARY KEY (${shape.primaryKey})
ORDER BY (${shape.orderBy})
${durableSettings({ extra: { ttl_only_drop_parts: 1, min_bytes_for_wide_part: widePartBytes } })}`
}

/** The columns of a call that change when it is priced again. */
export const pricedColumnNames = [
	...['cost_nano_usd', 'ledger_cost_nano_usd', 'ledger_rate', 'ledger_factor', 'ledger_price'],
] as const

const typeOf = new Map<string, string>([...spanColumns, ...ledgerColumns])

/** Every version of the ledger lines of calls that were priced again; `spans` has the newest. */
export const ledgerVersionColumns: Columns = [
	['workspace_id', text],
	retentionColumn,
	['started_at', time],
	['trace_id', 'FixedString(16) CODEC(ZSTD(1))'],
	['span_id', 'FixedString(8) CODEC(ZSTD(1))'],
	/** The id of the re-pricing, which sorts by time; '' for the prices with which the call was recorded. */
	['revision', text],
	['part', 'UInt32 CODEC(ZSTD(1))'],
	...pricedColumnNames.map((name) => [name, typeOf.get(name) ?? ''] as const),
]

export const ledgerVersionsShape: TableShape = {
	name: 'ledger_versions',
	time: 'started_at',
	indexes: [],
	primaryKey: 'workspace_id, trace_id, span_id',
	orderBy: 'workspace_id, trace_id, span_id, revision',
}
