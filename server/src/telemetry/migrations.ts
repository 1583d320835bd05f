import { durableSettings, type TelemetryMigration } from '../platform/clickhouse/index.ts'
import { addStoredAt } from './arrivals/stored-at.ts'
import { withoutRetention } from './columns.ts'
import { exchangeColumns, messageColumns } from './exchanges/exchange-columns.ts'
import { logColumns } from './logs/log-columns.ts'
import { pointColumns } from './metrics/point-columns.ts'
import { partByRetention } from './part-by-retention.ts'
import { createRollups } from './rollups/rollup-tables.ts'
import { firstSpanColumns, ledgerColumns, spanColumns } from './span-columns.ts'
import { usualRetentionDays } from './span-row.ts'
import {
	createTable,
	exchangesShape,
	logsShape,
	messagesShape,
	metricsShape,
	retainedTables,
	spansShape,
} from './tables.ts'

/** As it was before rows said how long they are kept; released, so never changed. */
const partedByDay: readonly TelemetryMigration[] = [
	{
		id: 1,
		statements: [createTable(spansShape, { columns: firstSpanColumns, partitionBy: 'toDate(started_at)' })],
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
			createTable(logsShape, {
				columns: withoutRetention(logColumns),
				partitionBy: 'toDate(recorded_at)',
			}),
			createTable(metricsShape, {
				columns: withoutRetention(pointColumns),
				partitionBy: 'toDate(recorded_at)',
			}),
		],
	},
]

/**
 * The schema of telemetry; reasons: docs/decisions/0004-span-schema.md. `retentionDays` is for rows from before rows said
 * how long they are kept: those in the tables, in the log and in old backups.
 */
export function telemetryMigrationsFor(retentionDays: number): readonly TelemetryMigration[] {
	return [
		...partedByDay,
		{
			id: 4,
			statements: [],
			run: async (store) => {
				await partByRetention(store, spansShape, spanColumns, retentionDays)
				await partByRetention(store, logsShape, logColumns, retentionDays)
				await partByRetention(store, metricsShape, pointColumns, retentionDays)
			},
		},
		{
			id: 5,
			// Which erasures the rows have been through; it is in backups beside them.
			statements: [
				`CREATE TABLE IF NOT EXISTS erasures (workspace_id String, id String, erased_at DateTime64(3, 'UTC') DEFAULT now64(3))
				ENGINE = MergeTree ORDER BY (workspace_id, id) ${durableSettings()}`,
			],
		},
		{
			id: 6,
			statements: [
				createTable(exchangesShape, { columns: exchangeColumns, partitionBy: byRetention }),
				createTable(messagesShape, { columns: messageColumns, partitionBy: byRetention }),
			],
		},
		{ id: 7, statements: createRollups },
		{ id: 8, statements: [], run: addStoredAt },
	]
}

const byRetention = '(retention_days, toDate(recorded_at))'

/** For stores that have no rows yet. */
export const telemetryMigrations = telemetryMigrationsFor(usualRetentionDays)

/** What a backup holds; whatever else there is (rollups) comes from these when they are inserted again. */
export const telemetryTables = ['erasures', ...retainedTables] as const
