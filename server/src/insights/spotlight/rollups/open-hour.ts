import { hourMs, type OpenHour } from './plan-reads.ts'

/** What is known of an hour's rolls; of all of them that are there, the newest of each kind. Numbers as text. */
export interface HourRow {
	/** Seconds. */
	at: string
	rolled: string
	changed: string
	step: {
		version: string
		cut_ms: string
		/** Spans that had marked the hour, and those in it that were stored before the cut. */
		arrived: string
		spans: string
		last_ms: string
		rolls: string[]
	}
}

/** Columns of `HourRow` for a SELECT from the hours GROUP BY hour. */
export const stepColumns = `max(rolled_ms) AS newest_roll, toString(newest_roll) AS rolled, max(changed_ms) AS newest_change, toString(newest_change) AS changed,
	max(opened) AS step`

/** What can be read of the rolls of an hour that is behind; null where spans were changed since, or nothing is rolled up. */
export function openHourOf({ at, rolled, changed, step }: HourRow): OpenHour | null {
	const startMs = Number(at) * 1000
	const [rolledMs, cutMs] = [Number(rolled), Number(step.cut_ms)]
	if (cutMs > rolledMs && Number(step.version) > Number(changed))
		return { startMs, cutMs, lastMs: Number(step.last_ms), rolls: step.rolls.map(Number) }
	if (rolledMs === 0 || rolledMs <= Number(changed)) return null
	return { startMs, cutMs: rolledMs, lastMs: startMs + hourMs - 1, rolls: [rolledMs] }
}
