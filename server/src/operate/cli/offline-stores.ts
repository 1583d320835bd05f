import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import {
	DirectoryInUse,
	lockDirectory,
	requireOwnUser,
} from '../../platform/clickhouse/embedded/directory-lock.ts'
import { migrateTelemetryStore, replicatedDdl, telemetryVersion } from '../../platform/clickhouse/migrate.ts'
import { openTelemetryStore } from '../../platform/clickhouse/store.ts'
import { systemClock } from '../../platform/clock.ts'
import { givenMasterKeys, type MasterKeys, readMasterKeys } from '../../platform/crypto/master-key-file.ts'
import { createKeyring } from '../../platform/crypto/seal.ts'
import { controlMigrationStatus, noControlMigrations } from '../../platform/database/migrate.ts'
import {
	controlStorePath,
	openControlStore,
	refuseLostControlStore,
} from '../../platform/database/open-control-store.ts'
import { askProgram, ProgramEnded } from '../../platform/local-socket.ts'
import { createLog } from '../../platform/log.ts'
import { readVersion } from '../../platform/version.ts'
import {
	openRecorder,
	rowStoreOf,
	telemetryMigrations,
	telemetryMigrationsFor,
} from '../../telemetry/index.ts'
import { createBackup } from '../backup/backup.ts'
import { refuseHalfRestored, restoreBackup, summarise } from '../backup/restore-backup.ts'
import { openStores, shipLogsFrom } from '../stores/stores.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

export interface MigrationStatus {
	control_store: { applied: string[]; pending: string[]; unknown: string[] }
	/** `version` is null while a running program holds the embedded engine, which it migrated when it started. */
	telemetry_store: { version: number | null; newest: number }
}

/** Applies the migrations of a start without starting; returns the names of those that the control store lacked. */
export async function migrateStores(config: Config): Promise<string[]> {
	const { control_store } = await readMigrationStatus(config)
	requireOwnUser(config.dataDir)
	const stores = await openStores(config, createLog('warn'))
	await stores.close(0)
	return control_store.pending
}

export async function readMigrationStatus(config: Config): Promise<MigrationStatus> {
	refuseHalfRestored(config.dataDir)
	return {
		control_store: await controlStatus(config),
		telemetry_store: { version: await telemetryStatus(config), newest: telemetryMigrations.length },
	}
}

/** Querying the status does not create a store. */
async function controlStatus({ DATABASE_URL, dataDir }: Config): Promise<MigrationStatus['control_store']> {
	if (DATABASE_URL === null && !existsSync(controlStorePath(dataDir))) {
		refuseLostControlStore(dataDir)
		return noControlMigrations
	}
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

/** The telemetry schema for a cluster, read from a temporary embedded engine. */
export async function clusterDdl(cluster: string, retentionDays: number): Promise<string[]> {
	const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-schema-'))
	const store = await openTelemetryStore({ dataDir, log: createLog('silent') })
	try {
		await migrateTelemetryStore(store, telemetryMigrationsFor(retentionDays))
		return await replicatedDdl(store, cluster)
	} finally {
		await store.close()
		await rm(dataDir, { recursive: true, force: true })
	}
}

export type BackupSummary = ReturnType<typeof summarise>

/** Lets the running program make the backup. If none is running, the stores are opened here, without migrating them. */
export async function makeBackup(config: Config, directory: string): Promise<BackupSummary> {
	const asked = await askProgram<BackupSummary>(config.dataDir, 'backup', { directory }).catch((error) => {
		if (!(error instanceof ProgramEnded)) throw error
		const message = `The program ended before the backup was finished: ${directory} does not hold a backup. Repeat the command with a new directory, whether the program runs or not.`
		throw new CommandFailure(exitCodes.failed, message)
	})
	if (asked) return asked.result
	refuseHalfRestored(config.dataDir)
	if (!existsSync(join(config.dataDir, 'wal')))
		throw new CommandFailure(exitCodes.notFound, `There is nothing to back up in ${config.dataDir}.`)
	requireOwnUser(config.dataDir)
	return summarise(await backUpStopped(config, directory))
}

/** Nothing is migrated, so a backup before an upgrade has the old schema. */
async function backUpStopped(config: Config, directory: string) {
	const log = createLog('silent')
	const keys = { keyIds: keyIdsOf(config) }
	const lock = lockDirectory(config.dataDir)
	const control = await openControlStore(config.DATABASE_URL, config.dataDir, log)
	const telemetry = await openTelemetryStore({ ...telemetryOptions(config), lock, log })
	const recorder = await openRecorder({
		directory: join(config.dataDir, 'wal'),
		store: rowStoreOf(telemetry),
		maxBytes: config.WAL_MAX_BYTES,
		log,
		clock: systemClock,
	})
	const ship = { config, store: telemetry, log, signal: new AbortController().signal }
	try {
		await shipLogsFrom(1, ship)
		if ((await telemetryVersion(telemetry)) === 0)
			throw new CommandFailure(exitCodes.notFound, `There is nothing to back up in ${config.dataDir}.`)
		const source = { control, telemetry, recorder, keys, version: readVersion(), clock: systemClock }
		return await createBackup(source, directory)
	} finally {
		await recorder.close(0)
		await telemetry.close()
		await control.close()
		lock.release()
	}
}

/** Restores into the configured instance, which must be empty. */
export async function restore(config: Config, directory: string): Promise<BackupSummary> {
	const log = createLog('silent')
	const lock = lockDirectory(config.dataDir)
	const openStores = async () => {
		const control = await openControlStore(config.DATABASE_URL, config.dataDir, log)
		const telemetry = await openTelemetryStore({ ...telemetryOptions(config), lock, log })
		const close = async () => {
			await telemetry.close()
			await control.close()
		}
		return { control, telemetry, close }
	}
	try {
		const hasTelemetry = config.CLICKHOUSE_URL === null
		const target = { dataDir: config.dataDir, masterKeyIds: keyIdsOf(config), hasTelemetry, openStores }
		return summarise(await restoreBackup(target, directory))
	} finally {
		lock.release()
	}
}

function telemetryOptions({ dataDir, CLICKHOUSE_URL }: Config) {
	return { dataDir, url: CLICKHOUSE_URL ?? undefined }
}

/** Empty if there is no master key at all; the error then names the key that is needed. */
function keyIdsOf(config: Config): readonly string[] {
	const keys = masterKeysOf(config)
	if (!keys) return []
	return createKeyring(keys.previous ? [keys.newest, keys.previous] : [keys.newest]).keyIds
}

function masterKeysOf({ MASTER_KEY, MASTER_KEY_PREVIOUS, dataDir }: Config): MasterKeys | null {
	if (MASTER_KEY !== null) return givenMasterKeys(MASTER_KEY, MASTER_KEY_PREVIOUS)
	return existsSync(join(dataDir, 'master.key')) ? readMasterKeys(dataDir) : null
}
