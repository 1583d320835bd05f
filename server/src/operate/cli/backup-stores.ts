import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { lockDirectory, openTelemetryStore, telemetryVersion } from '../../platform/clickhouse/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { givenMasterKeys, type MasterKeys, readMasterKeys } from '../../platform/crypto/master-key-file.ts'
import { createKeyring } from '../../platform/crypto/seal.ts'
import { openControlStore } from '../../platform/database/index.ts'
import { askProgram } from '../../platform/local-socket.ts'
import { createLog } from '../../platform/log.ts'
import { readVersion } from '../../platform/version.ts'
import { openRecorder, rowStoreOf } from '../../telemetry/index.ts'
import { createBackup } from '../backup/create-backup.ts'
import { restoreBackup, summarise } from '../backup/restore-backup.ts'
import { shipLogsFrom } from '../stores/index.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

export type BackupSummary = ReturnType<typeof summarise>

/** Lets the running program make the backup; without one the stores are opened here, as they are. */
export async function makeBackup(config: Config, directory: string): Promise<BackupSummary> {
	const asked = await askProgram<BackupSummary>(config.dataDir, 'backup', { directory })
	if (asked) return asked.result
	if (!existsSync(join(config.dataDir, 'wal')))
		throw new CommandFailure(exitCodes.notFound, `There is nothing to back up in ${config.dataDir}.`)
	return summarise(await backUpStopped(config, directory))
}

/** Nothing is migrated: a backup before an upgrade is of the old schema. */
async function backUpStopped(config: Config, directory: string) {
	const log = createLog('silent')
	const masterKeyIds = keyIdsOf(config)
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
		const source = { control, telemetry, recorder, masterKeyIds, version: readVersion(), clock: systemClock }
		return await createBackup(source, directory)
	} finally {
		await recorder.close(0)
		await telemetry.close()
		await control.close()
		lock.release()
	}
}

/** Fills the configured, empty instance. */
export async function restore(config: Config, directory: string): Promise<BackupSummary> {
	mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
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
		const target = { dataDir: config.dataDir, masterKeyIds: keyIdsOf(config), openStores }
		return summarise(await restoreBackup(target, directory))
	} finally {
		lock.release()
	}
}

function telemetryOptions({ dataDir, CLICKHOUSE_URL }: Config) {
	return { dataDir, url: CLICKHOUSE_URL ?? undefined }
}

/** Empty where there is no master key at all: the refusal then names the one that is needed. */
function keyIdsOf(config: Config): readonly string[] {
	const keys = masterKeysOf(config)
	if (!keys) return []
	return createKeyring(keys.previous ? [keys.newest, keys.previous] : [keys.newest]).keyIds
}

function masterKeysOf({ MASTER_KEY, MASTER_KEY_PREVIOUS, dataDir }: Config): MasterKeys | null {
	if (MASTER_KEY !== null) return givenMasterKeys(MASTER_KEY, MASTER_KEY_PREVIOUS)
	return existsSync(join(dataDir, 'master.key')) ? readMasterKeys(dataDir) : null
}
