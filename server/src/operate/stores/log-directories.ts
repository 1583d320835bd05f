import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import type { Log } from '../../platform/log.ts'
import { type LogRecorder, type MakeRows, openRecorder, rowStoreOf } from '../../telemetry/index.ts'

interface LogStores {
	store: TelemetryStore
	/** Whose keys seal what calls carry; absent: none is taken in. */
	sealer?: Sealer
	log: Log
}

interface LogsOfNobody extends LogStores {
	config: LogConfig
	signal: AbortSignal
	makeRows?: MakeRows
}

type LogConfig = Pick<Config, 'dataDir' | 'WAL_MAX_BYTES' | 'WORKERS'>

/** Each process writes a log of its own: the primary `wal/`, worker n `wal-n/`. They share the bound evenly. */
export function openLog(
	config: LogConfig,
	number: number,
	{ store, sealer, log }: LogStores,
): Promise<LogRecorder> {
	return openRecorder({
		directory: join(config.dataDir, number === 0 ? 'wal' : `wal-${number}`),
		store: rowStoreOf(store),
		maxBytes: Math.floor(config.WAL_MAX_BYTES / config.WORKERS),
		...(sealer && { keyOf: (name) => keyOfSegment(sealer, name) }),
		log,
		clock: systemClock,
	})
}

/** The keys of segments follow from the root that outlives the master key, so that its replacement leaves the log readable. */
function keyOfSegment(sealer: Sealer, name: string): Buffer {
	return Buffer.from(sealer.mac('telemetry-log', name), 'hex')
}

const shedWaitMs = 5000

/** Brings what lies in the logs of workers from this number on to the store: nobody writes them any more. */
export async function shipLogsFrom(
	first: number,
	{ config, signal, makeRows, ...stores }: LogsOfNobody,
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
		// Nobody would remove its segments later.
		if (!signal.aborted) await recorder.shed(shedWaitMs)
		await recorder.close(0)
	}
}

function numbersOfLogs(dataDir: string): number[] {
	if (!existsSync(dataDir)) return []
	return readdirSync(dataDir).flatMap((name) => Number(/^wal-(\d+)$/.exec(name)?.[1] ?? 0) || [])
}
