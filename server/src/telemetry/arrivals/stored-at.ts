import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import { storedAt, storedAtType } from '../columns.ts'
import { logsShape, metricsShape, spansShape } from '../tables.ts'

type Store = Pick<TelemetryStore, 'query' | 'command'>

const type = storedAtType
const codec = 'CODEC(Delta, ZSTD(1))'
export const storedAtColumn = [storedAt, `${type} ${codec}`] as const

/** Gives the tables of what is sent to us the column. Bears a second run. */
export async function addStoredAt(store: Store): Promise<void> {
	for (const { name } of [spansShape, logsShape, metricsShape]) {
		await store.command(`ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS ${storedAt} ${type} ${codec}`)
		await store.command(
			`ALTER TABLE ${name} ADD INDEX IF NOT EXISTS ${storedAt}_minmax ${storedAt} TYPE minmax GRANULARITY 1`,
		)
		// Else the old parts would take the default of the moment in which they are read or merged.
		if (await hasRows(store, name))
			await store.command(
				`ALTER TABLE ${name} UPDATE ${storedAt} = toDateTime64(0, 3, 'UTC') WHERE 1 SETTINGS mutations_sync = 2`,
			)
		await store.command(
			`ALTER TABLE ${name} MODIFY COLUMN ${storedAt} ${type} DEFAULT now64(3, 'UTC') ${codec}`,
		)
	}
}

async function hasRows(store: Store, table: string): Promise<boolean> {
	return (await store.query(`SELECT 1 FROM ${table} LIMIT 1`)).length > 0
}
