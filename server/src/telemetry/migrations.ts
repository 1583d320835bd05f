import {
	durableSettings,
	type TelemetryMigration,
	type TelemetryStore,
} from '../platform/clickhouse/index.ts'
import { definitionsOf } from './columns.ts'
import { logColumns } from './logs/log-columns.ts'
import { pointColumns } from './metrics/point-columns.ts'
import { firstSpanColumns, ledgerColumns } from './span-columns.ts'

/** Below this a part is one file instead of 55, which an insert writes and flushes much faster; merges make it wide. */
const widePartBytes = 128 * 1024 * 1024

const settings = durableSettings({
	extra: { ttl_only_drop_parts: 1, min_bytes_for_wide_part: widePartBytes },
})

/** The schema of telemetry. Reasons: docs/decisions/0004-span-schema.md. */
export const telemetryMigrations: readonly TelemetryMigration[] = [
	{
		id: 1,
		statements: [
			`CREATE TABLE IF NOT EXISTS spans (
${definitionsOf(firstSpanColumns)},
	INDEX trace_id_bloom trace_id TYPE bloom_filter(0.001) GRANULARITY 1,
	INDEX session_id_bloom session_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate(started_at)
PRIMARY KEY (workspace_id, toStartOfFiveMinutes(started_at), kind)
ORDER BY (workspace_id, toStartOfFiveMinutes(started_at), kind, trace_id, span_id)
${settings}`,
		],
	},
	{
		id: 2,
		statements: ledgerColumns.map(
			([name, type]) => `ALTER TABLE spans ADD COLUMN IF NOT EXISTS ${name} ${type}`,
		),
	},
	{
		id: 3,
		statements: [
			`CREATE TABLE IF NOT EXISTS logs (
${definitionsOf(logColumns)},
	INDEX trace_id_bloom trace_id TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate(recorded_at)
PRIMARY KEY (workspace_id, toStartOfFiveMinutes(recorded_at))
ORDER BY (workspace_id, toStartOfFiveMinutes(recorded_at), recorded_at)
${settings}`,
			`CREATE TABLE IF NOT EXISTS metrics (
${definitionsOf(pointColumns)}
)
ENGINE = MergeTree
PARTITION BY toDate(recorded_at)
PRIMARY KEY (workspace_id, metric, toStartOfHour(recorded_at))
ORDER BY (workspace_id, metric, toStartOfHour(recorded_at), recorded_at)
${settings}`,
		],
	},
]

/** What a backup holds; whatever else there is (rollups) comes from these when they are inserted again. */
export const telemetryTables = ['logs', 'metrics', 'spans'] as const

const timeColumns: Readonly<Record<(typeof telemetryTables)[number], string>> = {
	logs: 'recorded_at',
	metrics: 'recorded_at',
	spans: 'started_at',
}

/** Lets telemetry expire whole days at a time, `days` after it started. To be run at each start, after the migrations. */
export async function setRetention(store: Pick<TelemetryStore, 'command'>, days: number): Promise<void> {
	if (!Number.isInteger(days) || days < 1) throw new TypeError('The retention is a whole number of days.')
	for (const table of telemetryTables)
		await store.command(
			`ALTER TABLE ${table} MODIFY TTL toDateTime(${timeColumns[table]}) + toIntervalDay(${days}) SETTINGS materialize_ttl_after_modify = 0`,
		)
}
