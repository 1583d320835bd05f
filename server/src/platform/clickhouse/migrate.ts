import type { TelemetryStore } from './store.ts'

const week = 7 * 24 * 60 * 60

/**
 * Statements that create the tables of a migrated store on every node of a cluster with one shard, replicated by the servers'
 * macros `shard` and `replica`. They are derived from the engine's description of its tables, so they match the schema that the
 * migrations made. Names have no database. Each statement is idempotent: a newer version adds what is missing.
 */
export async function replicatedDdl(
	store: Pick<TelemetryStore, 'query'>,
	cluster: string,
): Promise<string[]> {
	if (!/^[A-Za-z0-9_-]+$/.test(cluster))
		throw new TypeError('The name of a cluster has letters, digits, _ and - only.')
	const tables = await store.query<{ create_table_query: string }>(
		`SELECT replaceAll(create_table_query, concat(currentDatabase(), '.'), '') AS create_table_query FROM system.tables
		WHERE database = currentDatabase() ORDER BY engine = 'MaterializedView', name`,
	)
	const created = tables.map(({ create_table_query }) => replicated(create_table_query, cluster))
	return [...created, await noteVersions(store)]
}

function replicated(create: string, cluster: string): string {
	return create
		.replace(
			/^CREATE (TABLE|MATERIALIZED VIEW) (\w+)/,
			`CREATE $1 IF NOT EXISTS $2 ON CLUSTER \`${cluster}\``,
		)
		.replace(
			/ ENGINE = (\w*MergeTree)\b(?:\((\w+)\))?/,
			(_, engine: string, version?: string) =>
				` ENGINE = Replicated${engine}('/clickhouse/tables/{shard}/{database}/{table}', '{replica}'${version ? `, ${version}` : ''})`,
		)
		.replace(
			/\bnon_replicated_deduplication_window = (\d+)/,
			// A batch may wait in the log for days; by default a server forgets a token after an hour.
			`replicated_deduplication_window = $1, replicated_deduplication_window_seconds = ${week}`,
		)
}

/** Records the migrations as applied, so that the program does not run them again. Does nothing in a cluster that has records. */
async function noteVersions(store: Pick<TelemetryStore, 'query'>): Promise<string> {
	const [row] = await store.query<{ version: number }>('SELECT max(id) AS version FROM schema_migrations')
	return `INSERT INTO schema_migrations (id, applied_at) SELECT number + 1, now64(3) FROM numbers(${Number(row?.version)}) WHERE (SELECT count() FROM schema_migrations) = 0`
}

interface DurableSettingsOptions {
	/** How many past insert blocks a table remembers for deduplication. At least ten times the batches in flight. */
	deduplicationWindow?: number
	/** Further settings of the table, such as `ttl_only_drop_parts`. Names and values are ours, never a user's. */
	extra?: Record<string, string | number>
}

/**
 * The SETTINGS clause that every table must have, targets of materialised views included. Without all four
 * flush settings a power cut loses acknowledged rows or leaves a table that does not load: the engine flushes
 * nothing by default, and it deletes the flushed sources of a merge before the merged part is on disk.
 */
export function durableSettings({
	deduplicationWindow = 10_000,
	extra = {},
}: DurableSettingsOptions = {}): string {
	const settings = {
		fsync_after_insert: 1,
		fsync_part_directory: 1,
		min_rows_to_fsync_after_merge: 1,
		old_parts_lifetime: 480,
		max_suspicious_broken_parts: 10_000,
		non_replicated_deduplication_window: deduplicationWindow,
		...extra,
	}
	return `SETTINGS ${Object.entries(settings)
		.map(([name, value]) => `${name} = ${value}`)
		.join(', ')}`
}

/** The names of the tables whose settings would lose rows in a power cut; normally empty. */
export async function findUndurableTables(store: Pick<TelemetryStore, 'query'>): Promise<string[]> {
	const rows = await store.query<{ name: string }>(
		`SELECT name FROM system.tables
		WHERE database = currentDatabase() AND engine LIKE '%MergeTree'
			AND NOT (engine_full LIKE '%fsync_after_insert = 1%' AND engine_full LIKE '%fsync_part_directory = 1%'
				AND engine_full LIKE '%min_rows_to_fsync_after_merge = 1%' AND engine_full LIKE '%old_parts_lifetime = 480%')
		ORDER BY name`,
	)
	return rows.map((row) => row.name)
}

/**
 * One step of the telemetry schema. Forward only: a released migration is never changed, but emptied when a later one replaces its
 * whole effect.
 */
export interface TelemetryMigration {
	/** Ascending, from 1, without gaps. */
	id: number
	/**
	 * Run in order, one at a time. After a crash the migration runs again from its first statement, so each must be idempotent
	 * (`CREATE … IF NOT EXISTS`, `ADD COLUMN IF NOT EXISTS`).
	 */
	statements: readonly string[]
	/** For steps that statements cannot express. Runs after them and must be idempotent as well. */
	run?(store: Pick<TelemetryStore, 'query' | 'command'>): Promise<void>
}

/** The telemetry schema cannot be brought up to date. The message is one line for the operator. */
class TelemetrySchemaError extends Error {
	override name = 'TelemetrySchemaError'
}

type Store = Pick<TelemetryStore, 'query' | 'command'>

/** Brings the telemetry schema up to date and returns the ids that were applied. */
export async function migrateTelemetryStore(
	store: Store,
	migrations: readonly TelemetryMigration[],
): Promise<number[]> {
	checkOrder(migrations)
	await refuseOldEngine(store)
	await createTrackingTable(store)
	const current = await readVersion(store)
	if (current > migrations.length) throw newerSchema(current, migrations.length)
	const pending = migrations.slice(current)
	for (const migration of pending) await apply(store, migration)
	await checkDurability(store)
	return pending.map((migration) => migration.id)
}

/** ClickHouse 26.1 has text indexes only behind a setting, which a table's definition cannot carry. */
const oldestEngine = [26, 3] as const

/** Otherwise a server that is too old would fail at a statement of some migration, with an error that does not name the reason. */
async function refuseOldEngine(store: Store): Promise<void> {
	const [row] = await store.query<{ version: string }>('SELECT version() AS version')
	const [year = 0, month = 0] = (row?.version ?? '').split('.').map(Number)
	const [oldestYear, oldestMonth] = oldestEngine
	if (year > oldestYear || (year === oldestYear && month >= oldestMonth)) return
	throw new TelemetrySchemaError(
		`ClickHouse ${row?.version} is too old: upgrade the server of CLICKHOUSE_URL to ${oldestEngine.join('.')} or newer, or leave CLICKHOUSE_URL out to use the embedded engine.`,
	)
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

/** The schema version of a telemetry store; 0 if it has none yet. Throws for an engine that is too old. */
export async function telemetryVersion(store: Store): Promise<number> {
	await refuseOldEngine(store)
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
