import type { TimeRange } from '../../platform/time-range.ts'

/** An hour whose rollup holds everything that its spans say. */
export interface CleanHour {
	startMs: number
	version: number
}

/** Which parts of a range are read from the rollup and which from the spans themselves. */
export interface ReadPlan {
	/** Hours that the range holds whole. */
	whole: CleanHour[]
	/** Hours of which it holds a part. */
	parts: CleanHour[]
	raw: TimeRange[]
}

export interface KnownHours {
	clean: readonly CleanHour[]
	/** Starts of the hours whose rollup is behind, or not there yet. Where nothing was ever recorded, there is nothing to read. */
	dirty: readonly number[]
}

export const hourMs = 60 * 60 * 1000
/** Each stretch is a condition of the query. */
const mostStretches = 8

/**
 * All hours in the order of time. Every moment at which something was recorded is in exactly one part. No whole hour lies on
 * both sides of one of `splits`.
 */
export function planReads(
	range: TimeRange,
	{ clean, dirty }: KnownHours,
	splits: readonly number[] = [],
): ReadPlan {
	const raw = joinNearest(stretchesOf(dirty, range))
	const read = clean.filter(
		(hour) => overlaps(hour.startMs, range) && !raw.some((stretch) => overlaps(hour.startMs, stretch)),
	)
	const isWhole = ({ startMs }: CleanHour) =>
		startMs >= range.startMs &&
		startMs + hourMs <= range.endMs &&
		!splits.some((splitMs) => startMs < splitMs && splitMs < startMs + hourMs)
	return { whole: read.filter(isWhole), parts: read.filter((hour) => !isWhole(hour)), raw }
}

const overlaps = (hourStartMs: number, { startMs, endMs }: TimeRange) =>
	hourStartMs < endMs && hourStartMs + hourMs > startMs

/** An hour as far as it is in the range. */
export function clipped(hourStartMs: number, { startMs, endMs }: TimeRange): TimeRange {
	return { startMs: Math.max(hourStartMs, startMs), endMs: Math.min(hourStartMs + hourMs, endMs) }
}

/** The hours as far as they are in the range; what lies end to end is one. */
function stretchesOf(hours: readonly number[], range: TimeRange): TimeRange[] {
	const stretches: TimeRange[] = []
	for (const hour of hours.filter((startMs) => overlaps(startMs, range))) {
		const last = stretches.at(-1)
		const stretch = clipped(hour, range)
		if (last?.endMs === stretch.startMs) last.endMs = stretch.endMs
		else stretches.push(stretch)
	}
	return stretches
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
