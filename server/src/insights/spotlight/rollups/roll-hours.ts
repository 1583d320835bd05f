import type { TelemetryStore } from '../../../platform/clickhouse/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Jobs } from '../../../platform/jobs/index.ts'
import { dropOldRolls, findDirtyHours, rollHour } from './repository.ts'
import { rollOpenHours } from './roll-open-hours.ts'

type Store = Pick<TelemetryStore, 'query' | 'command'>

const everyMs = 60_000
const stepEveryMs = 6000
/** Longer than an insert takes, and than a query that reads the version before. */
export const settleMs = 60_000
const hoursAtOnce = 100

/** The job that keeps the rollups up to date: in steps of hours in which much arrives, and whole where nothing arrives any more. */
export function keepRollups(jobs: Jobs, store: Store, clock: Clock): void {
	// A program that ended in the middle may have left a roll that nothing names.
	let mayHaveOld = true
	let wholeAtMs = 0
	jobs.every('spotlight-rollups', stepEveryMs, async ({ signal }) => {
		mayHaveOld = (await rollOpenHours(store, signal)) || mayHaveOld
		if (clock.nowMs() < wholeAtMs + everyMs) return
		wholeAtMs = clock.nowMs()
		if (mayHaveOld) await dropOldRolls(store)
		mayHaveOld = await rollDirtyHours(store, signal)
	})
}

/** Rolls up all hours that are due; true when one replaced an older roll. Ends early with `signal`, between two hours. */
export async function rollDirtyHours(
	store: Store,
	signal: AbortSignal,
	afterMs = settleMs,
): Promise<boolean> {
	let replaced = false
	while (!signal.aborted) {
		const hours = await findDirtyHours(store, afterMs, hoursAtOnce)
		for (const hour of hours) {
			if (signal.aborted) return true
			await rollHour(store, hour)
			replaced ||= hour.rolledBefore
		}
		if (hours.length < hoursAtOnce) break
	}
	return replaced
}
