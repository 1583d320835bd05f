import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import {
	type DirectoryLock,
	lockDirectory,
	makeDataDirectory,
} from '../../platform/clickhouse/embedded/directory-lock.ts'
import { dropAbandonedTables } from '../../platform/clickhouse/frozen-table.ts'
import { migrateTelemetryStore } from '../../platform/clickhouse/migrate.ts'
import {
	type EngineAddress,
	openTelemetryStore,
	type TelemetryStore,
} from '../../platform/clickhouse/store.ts'
import { systemClock } from '../../platform/clock.ts'
import { givenMasterKeys, loadOrCreateMasterKey } from '../../platform/crypto/master-key-file.ts'
import { MasterKeyRotation } from '../../platform/crypto/master-key-rotation.ts'
import { openKeyring } from '../../platform/crypto/open-keyring.ts'
import type { Keyring, Sealer } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { migrateControlStore, refuseEmptyDatabase } from '../../platform/database/migrate.ts'
import { openControlStore } from '../../platform/database/open-control-store.ts'
import type { Log } from '../../platform/log.ts'
import {
	type LogRecorder,
	type MakeRows,
	openRecorder,
	rowStoreOf,
	telemetryMigrationsFor,
} from '../../telemetry/index.ts'
import { refuseHalfRestored } from '../backup/restore-backup.ts'

/** Everything that outlives a request and is stored on disk. */
export interface Stores {
	control: ControlStore
	telemetry: TelemetryStore
	recorder: LogRecorder
	sealer: Keyring
	masterKey: MasterKeyRotation
	/** Set if this start created the master key: the operator should back it up. */
	newMasterKeyPath: string | null
	/** Closes in the order in which a crash would lose least: the log, the engine, the control store. */
	close(graceMs: number): Promise<void>
}

/** Opens the stores of a data directory, and creates them at the first start. */
export async function openStores(config: Config, log: Log): Promise<Stores> {
	makeDataDirectory(config.dataDir)
	refuseHalfRestored(config.dataDir)
	// Must come first: a program that is refused must not have migrated the store of the running one.
	const lock = lockDirectory(config.dataDir)
	const { keys, path, created } = masterKeysOf(config)
	// A wrong master key is reported before the engine is started.
	const control = await openControl(config, log)
	const sealer = await openKeyring(control, keys, systemClock)
	const dataDir = config.MASTER_KEY ? null : config.dataDir
	const masterKey = new MasterKeyRotation({ store: control, ring: sealer, dataDir, clock: systemClock, log })
	const telemetry = await openTelemetry(config, lock, log)
	const recorder = await openLog(config, 0, { store: telemetry, sealer, log })
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

/** Opens, for a worker, the stores that its primary runs, and the worker's own log. */
export async function openWorkerStores(
	config: Config,
	{ number, engine, log }: { number: number; engine: EngineAddress | undefined; log: Log },
): Promise<Stores> {
	const { dataDir } = config
	const control = await openControlStore(config.DATABASE_URL, dataDir, log)
	const sealer = await openKeyring(control, masterKeysOf(config).keys, systemClock)
	const keyDir = config.MASTER_KEY ? null : dataDir
	const rotating = { store: control, ring: sealer, dataDir: keyDir, clock: systemClock, log }
	const masterKey = new MasterKeyRotation(rotating)
	const url = config.CLICKHOUSE_URL ?? undefined
	const telemetry = await openTelemetryStore({ dataDir, url, engine, log })
	const recorder = await openLog(config, number, { store: telemetry, sealer, log })
	const close = async (graceMs: number) => {
		await recorder.close(graceMs)
		await telemetry.close()
		await control.close()
	}
	return { control, telemetry, recorder, sealer, masterKey, newMasterKeyPath: null, close }
}

function masterKeysOf({ MASTER_KEY, MASTER_KEY_PREVIOUS, dataDir }: Config) {
	if (MASTER_KEY === null) return loadOrCreateMasterKey(dataDir)
	return { keys: givenMasterKeys(MASTER_KEY, MASTER_KEY_PREVIOUS), path: '', created: false }
}

async function openControl(config: Config, log: Log): Promise<ControlStore> {
	const store = await openControlStore(config.DATABASE_URL, config.dataDir, log)
	await refuseEmptyDatabase(store, config.dataDir)
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
	await dropAbandonedTables(store, systemClock.nowMs(), config.CLICKHOUSE_URL === null)
	await migrateTelemetryStore(store, telemetryMigrationsFor(config.RETENTION_DAYS))
	return store
}

interface LogStores {
	store: TelemetryStore
	/** Derives the keys that seal facts of calls; without it the log accepts no facts. */
	sealer?: Sealer
	log: Log
}

interface AbandonedLogs extends LogStores {
	config: LogConfig
	signal: AbortSignal
	makeRows?: MakeRows
}

type LogConfig = Pick<Config, 'dataDir' | 'WAL_MAX_BYTES' | 'WORKERS' | 'CLICKHOUSE_URL'>

/** Each process writes its own log: the primary `wal/`, worker n `wal-n/`. They share the size limit evenly. */
function openLog(config: LogConfig, number: number, { store, sealer, log }: LogStores): Promise<LogRecorder> {
	return openRecorder({
		directory: join(config.dataDir, number === 0 ? 'wal' : `wal-${number}`),
		store: rowStoreOf(store),
		maxBytes: Math.floor(config.WAL_MAX_BYTES / config.WORKERS),
		...(sealer && { keyOf: (name) => keyOfSegment(sealer, name) }),
		isUnread: number > 0 || config.CLICKHOUSE_URL !== null,
		log,
		clock: systemClock,
	})
}

/** The keys of segments are derived from the root that survives a rotation of the master key, so the log stays readable. */
function keyOfSegment(sealer: Sealer, name: string): Buffer {
	return Buffer.from(sealer.mac('telemetry-log', name), 'hex')
}

const shedWaitMs = 5000

/** Ships the logs of workers from this number on to the store, because no process writes to them any more. */
export async function shipLogsFrom(
	first: number,
	{ config, signal, makeRows, ...stores }: AbandonedLogs,
): Promise<void> {
	const numbers = numbersOfLogs(config.dataDir).filter((number) => number >= first)
	for (const number of numbers) {
		const recorder = await openLog(config, number, stores)
		if (makeRows) recorder.makeRows(makeRows)
		else if (recorder.stats().openCalls > 0) {
			await recorder.close(0)
			throw new Error(
				`The log wal-${number} holds calls of which no rows are made yet. Start Signalbox once; then repeat this.`,
			)
		}
		while (!signal.aborted && recorder.stats().pendingRows > 0)
			await sleep(100, undefined, { signal }).catch(() => undefined)
		// Nothing would remove its segments later.
		if (!signal.aborted) await recorder.shed(shedWaitMs)
		await recorder.close(0)
	}
}

function numbersOfLogs(dataDir: string): number[] {
	if (!existsSync(dataDir)) return []
	return readdirSync(dataDir).flatMap((name) => Number(/^wal-(\d+)$/.exec(name)?.[1] ?? 0) || [])
}
