import type { TimeRange } from '../../../platform/time-range.ts'

/** An hour whose rollup holds everything that its spans say. */
export interface CleanHour {
	startMs: number
	version: number
	/** The version of its narrow sums, where it has them. */
	narrow?: number
	/** Whether these were made before there were all kinds of them. */
	isFew?: boolean
}

/** An hour whose rolls hold every trace of which nothing was stored since `cutMs`. */
export interface OpenHour {
	startMs: number
	cutMs: number
	/** The latest start of a span in it that was stored before `cutMs`. */
	lastMs: number
	/** Versions. Each has the calls of other traces. */
	rolls: readonly number[]
}

/** Open hours as far as they are in a range, and the rolls that are read of them. */
export interface OpenPart {
	stretches: TimeRange[]
	/** Start of each stretch's hour. */
	hoursMs: number[]
	/** Of each stretch. Traces of which something was stored since are read from the spans, and no roll's rows of them count. */
	cutsMs: number[]
	/** See `KnownHours`. */
	atMs: number
	rolls: CleanHour[]
}

/** Which parts of a range are read from the rollup and which from the spans themselves. */
export interface ReadPlan {
	/** Hours that the range holds whole. */
	whole: CleanHour[]
	/** Hours of which it holds a part. */
	parts: CleanHour[]
	raw: TimeRange[]
	open: OpenPart | null
}

export interface KnownHours {
	clean: readonly CleanHour[]
	/** Starts of the hours whose rollup is behind, or not there yet. Where nothing was ever recorded, there is nothing to read. */
	dirty: readonly number[]
	/** Hours that are behind, too, but rolled up in steps. */
	open: readonly OpenHour[]
	/** When that was so, by the engine's clock. */
	atMs: number
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
	{ clean, dirty, open, atMs }: KnownHours,
	splits: readonly number[] = [],
): ReadPlan {
	const raw = joinNearest(stretchesOf(dirty, range))
	const isRead = ({ startMs }: { startMs: number }) =>
		overlaps(startMs, range) && !raw.some((stretch) => overlaps(startMs, stretch))
	const isWhole = (startMs: number, endMs: number) =>
		startMs >= range.startMs &&
		endMs <= range.endMs &&
		!splits.some((splitMs) => startMs < splitMs && splitMs < endMs)
	const openRead = open.filter(isRead)
	const rolls = [
		...clean.filter(isRead).map((hour) => ({ hour, isWhole: isWhole(hour.startMs, hour.startMs + hourMs) })),
		...openRead.flatMap((hour) =>
			rollsOf(hour).map((roll) => ({ hour: roll, isWhole: isWhole(hour.startMs, hour.lastMs + 1) })),
		),
	].sort((a, b) => a.hour.startMs - b.hour.startMs)
	return {
		whole: rolls.filter((roll) => roll.isWhole).map(({ hour }) => hour),
		parts: rolls.filter((roll) => !roll.isWhole).map(({ hour }) => hour),
		raw,
		open: openPart(openRead, range, atMs),
	}
}

const rollsOf = ({ startMs, rolls }: OpenHour): CleanHour[] => rolls.map((version) => ({ startMs, version }))

function openPart(hours: readonly OpenHour[], range: TimeRange, atMs: number): OpenPart | null {
	if (hours.length === 0) return null
	return {
		stretches: hours.map(({ startMs }) => clipped(startMs, range)),
		hoursMs: hours.map(({ startMs }) => startMs),
		cutsMs: hours.map(({ cutMs }) => cutMs),
		atMs,
		rolls: hours.flatMap(rollsOf),
	}
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
