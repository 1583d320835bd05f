import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateTelemetryStore } from '../platform/clickhouse/index.ts'
import { startTestStore, type TestStore } from '../platform/clickhouse/testing.ts'
import { fillFromTemplate } from '../platform/templates.testing.ts'
import { telemetryMigrations } from './migrations.ts'

/** A real engine with the tables of telemetry, in a directory of its own. */
export async function startTelemetryStore(): Promise<TestStore> {
	const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-store-'))
	await fillFromTemplate('telemetry', dataDir, makeTables)
	return startTestStore(dataDir)
}

async function makeTables(directory: string): Promise<void> {
	const { store, dataDir } = await startTestStore()
	await migrateTelemetryStore(store, telemetryMigrations)
	await store.close()
	await cp(join(dataDir, 'chdb'), join(directory, 'chdb'), { recursive: true, verbatimSymlinks: true })
	await rm(dataDir, { recursive: true })
}
