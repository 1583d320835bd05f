import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { type LogRecorder, openRecorder, rowStoreOf } from '../../telemetry/index.ts'

type LogConfig = Pick<Config, 'dataDir' | 'WAL_MAX_BYTES' | 'WORKERS'>

/** Each process writes a log of its own: the primary `wal/`, worker n `wal-n/`. They share the bound evenly. */
export function openLog(
	config: LogConfig,
	number: number,
	store: TelemetryStore,
	log: Log,
): Promise<LogRecorder> {
	return openRecorder({
		directory: join(config.dataDir, number === 0 ? 'wal' : `wal-${number}`),
		store: rowStoreOf(store),
		maxBytes: Math.floor(config.WAL_MAX_BYTES / config.WORKERS),
		log,
		clock: systemClock,
	})
}

const shedWaitMs = 5000

/** Brings what lies in the logs of workers from this number on to the store: nobody writes them any more. */
export async function shipLogsFrom(
	first: number,
	{ config, store, log, signal }: { config: LogConfig; store: TelemetryStore; log: Log; signal: AbortSignal },
): Promise<void> {
	const numbers = numbersOfLogs(config.dataDir).filter((number) => number >= first)
	for (const number of numbers) {
		const recorder = await openLog(config, number, store, log)
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
