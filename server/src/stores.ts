import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { refuseHalfRestored } from './backup/index.ts'
import type { Config } from './config.ts'
import {
	type DirectoryLock,
	lockDirectory,
	migrateTelemetryStore,
	openTelemetryStore,
	type TelemetryStore,
} from './platform/clickhouse/index.ts'
import { systemClock } from './platform/clock.ts'
import { givenMasterKeys, loadOrCreateMasterKey } from './platform/crypto/master-key-file.ts'
import { MasterKeyRotation } from './platform/crypto/master-key-rotation.ts'
import { openKeyring } from './platform/crypto/open-keyring.ts'
import type { Keyring } from './platform/crypto/seal.ts'
import { type ControlStore, migrateControlStore, openControlStore } from './platform/database/index.ts'
import type { Log } from './platform/log.ts'
import { openRecorder, type Recorder, rowStoreOf, telemetryMigrationsFor } from './telemetry/index.ts'

/** Everything that outlives a request and lies on disk. */
export interface Stores {
	control: ControlStore
	telemetry: TelemetryStore
	recorder: Recorder
	sealer: Keyring
	masterKey: MasterKeyRotation
	/** Set when this start made the master key: the operator should back it up. */
	newMasterKeyPath: string | null
	/** Ends in the order in which a crash would lose least: the log first, then the engine, then the control store. */
	close(graceMs: number): Promise<void>
}

/** Opens (and at the first start makes) the stores of a data directory. */
export async function openStores(config: Config, log: Log): Promise<Stores> {
	mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
	refuseHalfRestored(config.dataDir)
	// First of all: a program that is refused must not have migrated the store under the one that runs.
	const lock = lockDirectory(config.dataDir)
	const { keys, path, created } = masterKeysOf(config)
	// A wrong master key is told before the engine is started.
	const control = await openControl(config, log)
	const sealer = await openKeyring(control, keys, systemClock)
	const dataDir = config.MASTER_KEY ? null : config.dataDir
	const masterKey = new MasterKeyRotation({ store: control, ring: sealer, dataDir, clock: systemClock, log })
	const telemetry = await openTelemetry(config, lock, log)
	const recorder = await openRecorder({
		directory: join(config.dataDir, 'wal'),
		store: rowStoreOf(telemetry),
		maxBytes: config.WAL_MAX_BYTES,
		log,
		clock: systemClock,
	})
	return {
		control,
		telemetry,
		recorder,
		sealer,
		masterKey,
		newMasterKeyPath: created ? path : null,
		close: async (graceMs) => {
			await masterKey.close()
			await recorder.close(graceMs)
			await telemetry.close()
			await control.close()
			lock.release()
		},
	}
}

function masterKeysOf({ MASTER_KEY, MASTER_KEY_PREVIOUS, dataDir }: Config) {
	if (MASTER_KEY === null) return loadOrCreateMasterKey(dataDir)
	return { keys: givenMasterKeys(MASTER_KEY, MASTER_KEY_PREVIOUS), path: '', created: false }
}

async function openControl(config: Config, log: Log): Promise<ControlStore> {
	const store = await openControlStore(config.DATABASE_URL, config.dataDir, log)
	await migrateControlStore(store, log)
	return store
}

async function openTelemetry(config: Config, lock: DirectoryLock, log: Log): Promise<TelemetryStore> {
	const store = await openTelemetryStore({
		dataDir: config.dataDir,
		url: config.CLICKHOUSE_URL ?? undefined,
		lock,
		log,
	})
	await migrateTelemetryStore(store, telemetryMigrationsFor(config.RETENTION_DAYS))
	return store
}
