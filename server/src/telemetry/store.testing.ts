import { rmSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateTelemetryStore } from '../platform/clickhouse/migrate.ts'
import type { TelemetryStore } from '../platform/clickhouse/store.ts'
import { startTestStore, type TestStore } from '../platform/clickhouse/testing.ts'
import { fillFromTemplate } from '../platform/templates.testing.ts'
import { telemetryMigrations } from './migrations.ts'

/** The engine of the previous test file, with empty tables. Emptying them takes a tenth of the processor time of a start. */
let left: Engine | undefined
interface Engine extends TestStore {
	/** The schema of all its tables at its start. */
	schema: string
	pid: number | undefined
}

/**
 * A real engine with the telemetry tables, all empty. It may be reused from an earlier test file, unless it must be `fresh`, for tests
 * that kill it or look at its files.
 */
export async function startTelemetryStore({ fresh = false } = {}): Promise<TestStore> {
	const found = fresh ? undefined : left
	if (found) left = undefined
	const engine = found ?? (await startEngine())
	const close = async () => {
		const isUsable = !fresh && !left && (await empty(engine).catch(() => false))
		if (isUsable && !left) left = engine
		else await engine.close()
	}
	return { store: engine.store, dataDir: engine.dataDir, close }
}

async function startEngine(): Promise<Engine> {
	const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-store-'))
	await fillFromTemplate('telemetry', dataDir, makeTables)
	const started = await startTestStore(dataDir)
	return { ...started, schema: await schemaOf(started.store), pid: started.store.enginePid() }
}

async function schemaOf(store: TelemetryStore): Promise<string> {
	const [row] = await store.query<{ schema: string }>(
		'SELECT toString(sum(cityHash64(name, create_table_query))) AS schema FROM system.tables WHERE database = currentDatabase()',
	)
	return row?.schema ?? ''
}

/** False if the tables, or the engine itself, are not those of the start. */
async function empty({ store, schema, pid }: Engine): Promise<boolean> {
	if (store.enginePid() !== pid || (await schemaOf(store)) !== schema) return false
	const tables = await store.query<{ name: string }>(
		`SELECT name FROM system.tables
		WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name != 'schema_migrations'`,
	)
	for (const { name } of tables) await store.command(`TRUNCATE TABLE ${name}`)
	return true
}

process.once('exit', () => {
	if (!left?.pid) return
	try {
		// It would end by itself a moment later, but write files until then.
		process.kill(left.pid, 'SIGKILL')
		rmSync(left.dataDir, { recursive: true, force: true, maxRetries: 5 })
	} catch {
		// Remaining files are deleted with the temporary directory of the run.
	}
})

async function makeTables(directory: string): Promise<void> {
	const { store, dataDir } = await startTestStore()
	await migrateTelemetryStore(store, telemetryMigrations)
	await store.close()
	await cp(join(dataDir, 'chdb'), join(directory, 'chdb'), { recursive: true, verbatimSymlinks: true })
	await rm(dataDir, { recursive: true })
}
