import { durableSettings, findUndurableTables } from './schema.ts'
import type { TelemetryStore } from './store.ts'

/** One step of the telemetry schema. Forward only: a released migration is never changed. */
export interface TelemetryMigration {
	/** Ascending, from 1, without gaps. */
	id: number
	/**
	 * Run in order, one at a time. A crash in between runs the migration again from its first statement,
	 * so each must bear a second run (`CREATE … IF NOT EXISTS`, `ADD COLUMN IF NOT EXISTS`).
	 */
	statements: readonly string[]
	/** What statements cannot say; runs after them and must bear a second run as well. */
	run?(store: Pick<TelemetryStore, 'query' | 'command'>): Promise<void>
}

/** The telemetry schema cannot be brought up to date. The message is one line for the operator. */
export class TelemetrySchemaError extends Error {
	override name = 'TelemetrySchemaError'
}

type Store = Pick<TelemetryStore, 'query' | 'command'>

/** Brings the telemetry schema up to date and returns the ids that were applied. */
export async function migrateTelemetryStore(
	store: Store,
	migrations: readonly TelemetryMigration[],
): Promise<number[]> {
	checkOrder(migrations)
	await createTrackingTable(store)
	const current = await readVersion(store)
	if (current > migrations.length) throw newerSchema(current, migrations.length)
	const pending = migrations.slice(current)
	for (const migration of pending) await apply(store, migration)
	await checkDurability(store)
	return pending.map((migration) => migration.id)
}

function checkOrder(migrations: readonly TelemetryMigration[]): void {
	const wrong = migrations.find((migration, index) => migration.id !== index + 1)
	if (wrong)
		throw new TelemetrySchemaError(`Migration ${wrong.id} is out of order: ids count from 1 without gaps.`)
}

async function createTrackingTable(store: Store): Promise<void> {
	await store.command(
		`CREATE TABLE IF NOT EXISTS schema_migrations (id UInt32, applied_at DateTime64(3, 'UTC'))
		ENGINE = ReplacingMergeTree ORDER BY id ${durableSettings()}`,
	)
}

/** The schema version of a telemetry store; 0 when it has none yet. */
export async function telemetryVersion(store: Store): Promise<number> {
	const [found] = await store.query<{ made: number }>(
		"SELECT count() > 0 AS made FROM system.tables WHERE database = currentDatabase() AND name = 'schema_migrations'",
	)
	return found?.made ? readVersion(store) : 0
}

async function readVersion(store: Store): Promise<number> {
	const [row] = await store.query<{ version: number }>('SELECT max(id) AS version FROM schema_migrations')
	return row?.version ?? 0
}

async function apply(store: Store, migration: TelemetryMigration): Promise<void> {
	for (const statement of migration.statements) await store.command(statement)
	await migration.run?.(store)
	await store.command('INSERT INTO schema_migrations (id, applied_at) SELECT {id:UInt32}, now64(3)', {
		id: migration.id,
	})
}

async function checkDurability(store: Store): Promise<void> {
	const tables = await findUndurableTables(store)
	if (tables.length === 0) return
	throw new TelemetrySchemaError(`Tables without the durability settings: ${tables.join(', ')}.`)
}

function newerSchema(found: number, known: number): TelemetrySchemaError {
	return new TelemetrySchemaError(
		`The telemetry store has schema version ${found}, this program knows ${known}: start the newer program again, or restore a backup from before the upgrade.`,
	)
}
