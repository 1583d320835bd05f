import { createBackup, summarise } from './backup/index.ts'
import { systemClock } from './platform/clock.ts'
import type { LocalCalls } from './platform/local-socket.ts'
import type { Stores } from './stores.ts'

/** What commands on this machine may ask the running program for. */
export function createLocalCalls(stores: Stores, version: string): LocalCalls {
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
			const made = createBackup(source, String(directory))
			backup = made
			try {
				return summarise(await made)
			} finally {
				backup = null
			}
		},
	}
}
