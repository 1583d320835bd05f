import { setTimeout as sleep } from 'node:timers/promises'
import type { TelemetryStore } from '../../../platform/clickhouse/index.ts'
import { type Clock, toIso } from '../../../platform/clock.ts'
import type { Jobs } from '../../../platform/jobs/index.ts'
import type { Log } from '../../../platform/log.ts'
import { joinArrived } from '../joins/join-arrived.ts'
import { dropOldRolls, findDirtyHours, rollHour } from './repository.ts'
import { rollOpenHours } from './roll-open-hours.ts'

type Store = Pick<TelemetryStore, 'query' | 'command' | 'insertRowBinary'>

const everyMs = 60_000
const stepEveryMs = 6000
/** Longer than an insert takes, and than a query that reads the version before. */
export const settleMs = 60_000
const hoursAtOnce = 100
/** What has come is joined so often while spans arrive, and looked for so often while none do. */
const joinEveryMs = 1000
const lookEveryMs = 2000
/** One run of the job goes on for so long: each costs a write into the control store. */
const joinForMs = 60_000

/** The jobs that join what arrives and keep the rollups up to date: in steps of hours in which much arrives, and whole where nothing arrives any more. */
export function keepRollups(jobs: Jobs, store: Store, { clock, log }: { clock: Clock; log: Log }): void {
	const join = joinArrived(store)
	jobs.every('spotlight-joins', joinEveryMs, async ({ signal }) => {
		const untilMs = clock.nowMs() + joinForMs
		while (!signal.aborted && clock.nowMs() < untilMs) {
			const { arrived } = await join()
			await sleep(arrived ? joinEveryMs : lookEveryMs, null, { signal }).catch(() => null)
		}
	})
	const begunMs = clock.nowMs()
	const roll: RollOptions = {
		// Of what came before, the views may never have been joined: an older version left it, or a backup.
		tellChanged: ({ workspaceId, startMs }, calls) => {
			if (startMs > begunMs)
				log.error(
					{ workspaceId, hour: toIso(startMs), calls },
					'spotlight: calls of an hour were joined otherwise than when they arrived; they are right now',
				)
		},
	}
	// A program that ended in the middle may have left a roll that nothing names.
	let mayHaveOld = true
	let wholeAtMs = 0
	jobs.every('spotlight-rollups', stepEveryMs, async ({ signal }) => {
		mayHaveOld = (await rollOpenHours(store, signal)) || mayHaveOld
		if (clock.nowMs() < wholeAtMs + everyMs) return
		wholeAtMs = clock.nowMs()
		if (mayHaveOld) await dropOldRolls(store)
		mayHaveOld = await rollDirtyHours(store, signal, roll)
	})
}

export interface RollOptions {
	afterMs?: number
	/** So many calls of an hour were not joined as they should be, which a roll has mended. */
	tellChanged?: (hour: { workspaceId: string; startMs: number }, calls: number) => void
}

/** Rolls up all hours that are due; true when one replaced an older roll. Ends early with `signal`, between two hours. */
export async function rollDirtyHours(
	store: Store,
	signal: AbortSignal,
	{ afterMs = settleMs, tellChanged }: RollOptions = {},
): Promise<boolean> {
	let replaced = false
	while (!signal.aborted) {
		const hours = await findDirtyHours(store, afterMs, hoursAtOnce)
		for (const hour of hours) {
			if (signal.aborted) return true
			const changed = await rollHour(store, hour)
			if (changed > 0) tellChanged?.(hour, changed)
			replaced ||= hour.rolledBefore
		}
		if (hours.length < hoursAtOnce) break
	}
	return replaced
}
