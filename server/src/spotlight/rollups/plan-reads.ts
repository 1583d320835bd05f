import type { TimeRange } from '../../platform/time-range.ts'

/** An hour whose rollup holds everything that its spans say. */
export interface CleanHour {
	startMs: number
	version: number
}

/** Which parts of a range are read from the rollup and which from the spans themselves. */
export interface ReadPlan {
	rolled: CleanHour[]
	raw: TimeRange[]
}

export const hourMs = 60 * 60 * 1000
/** Each stretch is a condition of the query. */
const mostStretches = 8

/** `clean` is in the order of time. Every moment of the range is in exactly one part. */
export function planReads(range: TimeRange, clean: readonly CleanHour[]): ReadPlan {
	const inside = clean.filter(({ startMs }) => startMs >= range.startMs && startMs + hourMs <= range.endMs)
	const raw = joinNearest(gapsBetween(range, inside))
	return { rolled: inside.filter((hour) => !raw.some((stretch) => holds(stretch, hour))), raw }
}

function gapsBetween({ startMs, endMs }: TimeRange, hours: readonly CleanHour[]): TimeRange[] {
	const gaps: TimeRange[] = []
	let atMs = startMs
	for (const hour of hours) {
		if (hour.startMs > atMs) gaps.push({ startMs: atMs, endMs: hour.startMs })
		atMs = hour.startMs + hourMs
	}
	return atMs < endMs ? [...gaps, { startMs: atMs, endMs }] : gaps
}

/** Too many stretches become fewer: the clean hours between the two that are nearest are read raw too. */
function joinNearest(gaps: TimeRange[]): TimeRange[] {
	const stretches = [...gaps]
	while (stretches.length > mostStretches) {
		const distances = stretches
			.slice(1)
			.map(({ startMs }, at) => startMs - (stretches[at] as TimeRange).endMs)
		const nearest = distances.indexOf(Math.min(...distances))
		const [first, second] = stretches.slice(nearest, nearest + 2) as [TimeRange, TimeRange]
		stretches.splice(nearest, 2, { startMs: first.startMs, endMs: second.endMs })
	}
	return stretches
}

function holds({ startMs, endMs }: TimeRange, hour: CleanHour): boolean {
	return hour.startMs >= startMs && hour.startMs < endMs
}
