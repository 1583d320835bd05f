import { setTimeout as sleep } from 'node:timers/promises'
import { createBackup, summarise } from '../operate/backup/index.ts'
import type { Stores } from '../operate/stores/index.ts'
import { systemClock } from '../platform/clock.ts'
import type { LocalCalls } from '../platform/local-socket.ts'
import { isShipped } from '../telemetry/index.ts'
import type { App } from './serve-areas.ts'

/** What commands on this machine may ask the running program for. */
export function createLocalCalls(stores: Stores, app: Pick<App, 'statsOfAll'>, version: string): LocalCalls {
	let backup: Promise<unknown> | null = null
	return {
		backup: async ({ directory }) => {
			if (backup) throw new Error('A backup is being made already.')
			const { control, telemetry, recorder, sealer } = stores
			const source = {
				control,
				telemetry,
				recorder,
				masterKeyIds: sealer.keyIds,
				version,
				clock: systemClock,
			}
			const made = shipLogsOfWorkers(app).then(() => createBackup(source, String(directory)))
			backup = made
			try {
				return summarise(await made)
			} finally {
				backup = null
			}
		},
	}
}

const shipWithinMs = 60_000

/** A backup copies the log of this process only: what the others acknowledged before must be in the store by then. */
async function shipLogsOfWorkers({ statsOfAll }: Pick<App, 'statsOfAll'>): Promise<void> {
	const askedMs = systemClock.nowMs()
	for (;;) {
		if (await isShipped({ stats: statsOfAll }, systemClock, askedMs)) return
		if (systemClock.nowMs() - askedMs > shipWithinMs)
			throw new Error('The telemetry store does not take what the logs hold; see /readyz.')
		await sleep(50)
	}
}
