import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { DirectoryInUse, openTelemetryStore, telemetryVersion } from '../../platform/clickhouse/index.ts'
import {
	controlMigrationStatus,
	controlStorePath,
	noControlMigrations,
	openControlStore,
} from '../../platform/database/index.ts'
import { createLog } from '../../platform/log.ts'
import { telemetryMigrations } from '../../telemetry/index.ts'
import { openStores } from '../stores/index.ts'

export interface MigrationStatus {
	control_store: { applied: string[]; pending: string[]; unknown: string[] }
	/** `version` is null while a running program holds the embedded engine: it migrated it when it started. */
	telemetry_store: { version: number | null; newest: number }
}

/** Migrates as a start does, and ends; returns the names of what the control store lacked before. */
export async function migrateStores(config: Config): Promise<string[]> {
	const { control_store } = await readMigrationStatus(config)
	const stores = await openStores(config, createLog('warn'))
	await stores.close(0)
	return control_store.pending
}

export async function readMigrationStatus(config: Config): Promise<MigrationStatus> {
	return {
		control_store: await controlStatus(config),
		telemetry_store: { version: await telemetryStatus(config), newest: telemetryMigrations.length },
	}
}

/** A store that is not there yet is not made by asking for it. */
async function controlStatus({ DATABASE_URL, dataDir }: Config): Promise<MigrationStatus['control_store']> {
	if (DATABASE_URL === null && !existsSync(controlStorePath(dataDir))) return noControlMigrations
	const store = await openControlStore(DATABASE_URL, dataDir, createLog('silent'))
	try {
		return await controlMigrationStatus(store)
	} finally {
		await store.close()
	}
}

async function telemetryStatus({ CLICKHOUSE_URL, dataDir }: Config): Promise<number | null> {
	if (CLICKHOUSE_URL === null && !existsSync(join(dataDir, 'chdb'))) return 0
	const log = createLog('silent')
	try {
		const store = await openTelemetryStore({ dataDir, url: CLICKHOUSE_URL ?? undefined, log })
		try {
			return await telemetryVersion(store)
		} finally {
			await store.close()
		}
	} catch (error) {
		if (error instanceof DirectoryInUse) return null
		throw error
	}
}
