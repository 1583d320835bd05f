import {
	durableSettings,
	type TelemetryMigration,
	type TelemetryStore,
} from '../platform/clickhouse/index.ts'
import { firstSpanColumns, ledgerColumns } from './span-columns.ts'

/** Below this a part is one file instead of 55, which an insert writes and flushes much faster; merges make it wide. */
const widePartBytes = 128 * 1024 * 1024

const columns = firstSpanColumns.map(([name, type]) => `\t${name} ${type}`).join(',\n')

/** The schema of telemetry. Reasons: docs/decisions/0004-span-schema.md. */
export const telemetryMigrations: readonly TelemetryMigration[] = [
	{
		id: 1,
		statements: [
			`CREATE TABLE IF NOT EXISTS spans (
${columns},
	INDEX trace_id_bloom trace_id TYPE bloom_filter(0.001) GRANULARITY 1,
	INDEX session_id_bloom session_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate(started_at)
PRIMARY KEY (workspace_id, toStartOfFiveMinutes(started_at), kind)
ORDER BY (workspace_id, toStartOfFiveMinutes(started_at), kind, trace_id, span_id)
${durableSettings({ extra: { ttl_only_drop_parts: 1, min_bytes_for_wide_part: widePartBytes } })}`,
		],
	},
	{
		id: 2,
		statements: ledgerColumns.map(
			([name, type]) => `ALTER TABLE spans ADD COLUMN IF NOT EXISTS ${name} ${type}`,
		),
	},
]

/** What a backup holds; whatever else there is (rollups) comes from these when they are inserted again. */
export const telemetryTables = ['spans'] as const

/** Lets telemetry expire whole days at a time, `days` after it started. To be run at each start, after the migrations. */
export async function setRetention(store: Pick<TelemetryStore, 'command'>, days: number): Promise<void> {
	if (!Number.isInteger(days) || days < 1) throw new TypeError('The retention is a whole number of days.')
	await store.command(
		`ALTER TABLE spans MODIFY TTL toDateTime(started_at) + toIntervalDay(${days}) SETTINGS materialize_ttl_after_modify = 0`,
	)
}
