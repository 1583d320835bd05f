import { durableSettings, type TelemetryMigration } from '../platform/clickhouse/migrate.ts'
import type { TelemetryStore } from '../platform/clickhouse/store.ts'
import { storedAt, storedAtType, withoutRetention } from './columns.ts'
import { exchangeColumns, messageColumns, weightColumns } from './exchanges/exchange.ts'
import { logColumns } from './logs/log-columns.ts'
import { pointColumns } from './metrics/point-columns.ts'
import {
	compressByAge,
	mergeLessOften,
	partByRetention,
	storeLedgerAsText,
	storeOrigins,
} from './part-by-retention.ts'
import {
	createCallJoins,
	createCallKeys,
	createTraceLinks,
	dropCallKeys,
	stampCallJoins,
} from './rollups/call-joins.ts'
import {
	callHours,
	changeColumns,
	changesOf,
	createRollups,
	labelWorkspace,
	longSpans,
	marksOf,
	nowMs,
	openHours,
} from './rollups/rollup-tables.ts'
import {
	addCallKeys,
	addEnds,
	addFailures,
	addTokens,
	createNarrowSums,
	createSums,
	mergeNarrowSums,
	rolledTables,
} from './rollups/sum-tables.ts'
import { viewKeysColumn } from './rollups/view-keys.ts'
import { firstSpanColumns, ledgerColumns, spanColumnsWithLists } from './span-columns.ts'
import { defaultRetentionDays } from './span-row.ts'
import {
	createTable,
	durationIndex,
	exchangesShape,
	ledgerVersionColumns,
	ledgerVersionsShape,
	logsShape,
	messagesShape,
	metricsShape,
	retainedTables,
	spansShape,
} from './tables.ts'

type Store = Pick<TelemetryStore, 'query' | 'command'>

const storedAtCodec = 'CODEC(Delta, ZSTD(1))'
const storedAtColumn = [storedAt, `${storedAtType} ${storedAtCodec}`] as const

/** The tables before rows had a retention; released, so it never changes. */
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
 * The schema of telemetry; reasons: docs/decisions/0004-span-schema.md. `retentionDays` applies to rows from before rows had a
 * retention: those in the tables, in the log and in old backups.
 */
export function telemetryMigrationsFor(retentionDays: number): readonly TelemetryMigration[] {
	return [
		...partedByDay,
		{
			id: 4,
			statements: [],
			run: async (store) => {
				await partByRetention(store, spansShape, spanColumnsWithLists, retentionDays)
				await partByRetention(store, logsShape, logColumns, retentionDays)
				await partByRetention(store, metricsShape, pointColumns, retentionDays)
			},
		},
		{
			id: 5,
			// Erasures that have been applied to the rows; backups contain this table together with them.
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
		{
			id: 9,
			statements: [],
			run: async (store) => {
				await addViewKeys(store)
				// All hours are marked, so that it is decided again which calls are counted.
				await store.command(`INSERT INTO ${callHours} ${marksOf('spans', nowMs)}`)
			},
		},
		{
			id: 10,
			statements: weightColumns.map(
				([name, type]) => `ALTER TABLE exchanges ADD COLUMN IF NOT EXISTS ${name} ${type}`,
			),
		},
		{
			id: 11,
			statements: [
				createTable(ledgerVersionsShape, {
					columns: ledgerVersionColumns,
					partitionBy: '(retention_days, toDate(started_at))',
				}),
			],
		},
		{ id: 12, statements: createSums },
		{ id: 13, statements: openHours },
		{
			id: 14,
			// All hours are marked, so that names inherited from ancestors are determined again.
			statements: [
				`ALTER TABLE spans ADD ${durationIndex.replace('INDEX', 'INDEX IF NOT EXISTS')}`,
				...longSpans,
			],
		},
		// It redefined `view_keys`, as migration 38 does.
		{ id: 15, statements: [] },
		// For hours that are not rolled up; others keep what was counted.
		{ id: 16, statements: [createCallJoins] },
		{ id: 17, statements: [createCallKeys] },
		{
			id: 18,
			statements: [
				...compressByAge(spansShape, spanColumnsWithLists, [storedAtColumn, viewKeysColumn]),
				...compressByAge(logsShape, logColumns, [storedAtColumn]),
				...compressByAge(metricsShape, pointColumns, [storedAtColumn]),
			],
		},
		{ id: 19, statements: [stampCallJoins] },
		// For new rows only.
		{ id: 20, statements: [createTraceLinks] },
		{
			id: 21,
			// All hours are marked, so that sessions are determined again.
			statements: [`INSERT INTO ${callHours} (${changeColumns}) ${changesOf('spans', nowMs)}`],
		},
		{ id: 22, statements: [dropCallKeys] },
		// It set a smaller value than migration 24 does.
		{ id: 23, statements: [] },
		{ id: 24, statements: [], run: (store) => mergeLessOften(store, spansShape) },
		// It built an index that migration 35 replaces.
		{ id: 25, statements: [] },
		{ id: 26, statements: createNarrowSums },
		{ id: 27, statements: addTokens },
		{ id: 28, statements: addFailures },
		{ id: 29, statements: addCallKeys },
		// It redefined `view_keys`, as migration 38 does.
		{ id: 30, statements: [] },
		{ id: 31, statements: addEnds },
		{ id: 32, statements: mergeNarrowSums },
		{ id: 33, statements: rolledTables.flatMap(labelWorkspace) },
		{ id: 34, statements: [], run: storeLedgerAsText },
		{ id: 35, statements: [], run: storeOrigins },
		// It redefined `view_keys`, as migration 38 does.
		{ id: 36, statements: [] },
		// It redefined `view_keys`, as migration 38 does.
		{ id: 37, statements: [] },
		{
			id: 38,
			// For new rows, and for rows that are renormalised. When the column changes again, this step moves to a new
			// number: the engine takes long to analyse the expression, and the last definition does it for all.
			statements: [
				`ALTER TABLE spans MODIFY COLUMN ${viewKeysColumn.join(' ').replace(/CODEC\(.*\)$/, 'CODEC(Default)')}`,
			],
		},
	]
}

const byRetention = '(retention_days, toDate(recorded_at))'

/** For stores that have no rows yet. */
export const telemetryMigrations = telemetryMigrationsFor(defaultRetentionDays)

/** The content of a backup. Everything else (rollups) is derived from these tables when they are restored. */
export const telemetryTables = ['erasures', ...retainedTables] as const

/**
 * A store without rows gets the column without its expression, which migration 38 adds: the engine would analyse it again in every
 * change of the table until then, which takes most of the time of a first start.
 */
async function addViewKeys(store: Store): Promise<void> {
	const [name, type] = viewKeysColumn
	const added = (await hasRows(store, spansShape.name)) ? type : 'Array(UInt64)'
	await store.command(`ALTER TABLE spans ADD COLUMN IF NOT EXISTS ${name} ${added}`)
}

/** Adds the column to the tables of ingested telemetry. Idempotent. */
async function addStoredAt(store: Store): Promise<void> {
	for (const { name } of [spansShape, logsShape, metricsShape]) {
		await store.command(`ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS ${storedAtColumn.join(' ')}`)
		await store.command(
			`ALTER TABLE ${name} ADD INDEX IF NOT EXISTS ${storedAt}_minmax ${storedAt} TYPE minmax GRANULARITY 1`,
		)
		// Otherwise rows of old parts would get the time at which they are read or merged as default.
		if (await hasRows(store, name))
			await store.command(
				`ALTER TABLE ${name} UPDATE ${storedAt} = toDateTime64(0, 3, 'UTC') WHERE 1 SETTINGS mutations_sync = 2`,
			)
		await store.command(
			`ALTER TABLE ${name} MODIFY COLUMN ${storedAt} ${storedAtType} DEFAULT now64(3, 'UTC') ${storedAtCodec}`,
		)
	}
}

async function hasRows(store: Store, table: string): Promise<boolean> {
	return (await store.query(`SELECT 1 FROM ${table} LIMIT 1`)).length > 0
}
