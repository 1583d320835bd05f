import type { TimeRange } from '../../../platform/time-range.ts'
import { rollups } from '../../../telemetry/index.ts'

/** An hour whose rollup contains everything from its spans. */
export interface CleanHour {
	startMs: number
	version: number
	/** The version of its narrow sums, if it has them. */
	narrow?: number
	/** Whether these were made before all kinds of narrow sums existed. */
	lacksLaterSums?: boolean
}

/** An hour whose rolls contain every trace of which nothing was stored since `cutMs`. */
export interface OpenHour {
	startMs: number
	cutMs: number
	/** The latest start of a span in it that was stored before `cutMs`. */
	lastMs: number
	/** Versions of its rolls. Each has the calls of different traces. */
	rolls: readonly number[]
}

/** Open hours as far as they are in a range, and the rolls that are read of them. */
export interface OpenPart {
	stretches: TimeRange[]
	/** For each period, the start of its hour. */
	hoursMs: number[]
	/** For each period. Traces of which something was stored since then are read from the spans, and their rows in rolls do not count. */
	cutsMs: number[]
	/** See `KnownHours`. */
	atMs: number
	rolls: CleanHour[]
}

/** Which parts of a range are read from the rollup and which from the spans. */
export interface ReadPlan {
	/** Hours that are completely in the range. */
	whole: CleanHour[]
	/** Hours that are partly in the range. */
	parts: CleanHour[]
	raw: TimeRange[]
	open: OpenPart | null
}

export interface KnownHours {
	clean: readonly CleanHour[]
	/** Starts of the hours whose rollup is missing or outdated. Where nothing was ever recorded, there is nothing to read. */
	dirty: readonly number[]
	/** Hours that are outdated too, but rolled up in steps. */
	open: readonly OpenHour[]
	/** The time of this information, by the engine's clock. */
	atMs: number
}

export const hourMs = 60 * 60 * 1000
/** Each period is a condition of the query. */
const maxStretches = 8

/**
 * All hours in chronological order. Every time at which something was recorded is in exactly one part. No whole hour lies on both
 * sides of one of `splits`.
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

/** The part of an hour that is in the range. */
export function clipped(hourStartMs: number, { startMs, endMs }: TimeRange): TimeRange {
	return { startMs: Math.max(hourStartMs, startMs), endMs: Math.min(hourStartMs + hourMs, endMs) }
}

/** The parts of the hours that are in the range; adjacent ones are merged. */
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

/** Reduces the number of periods: the clean hours between the two nearest ones are read raw too. */
function joinNearest(gaps: TimeRange[]): TimeRange[] {
	const stretches = [...gaps]
	while (stretches.length > maxStretches) {
		const distances = stretches
			.slice(1)
			.map(({ startMs }, at) => startMs - (stretches[at] as TimeRange).endMs)
		const nearest = distances.indexOf(Math.min(...distances))
		const [first, second] = stretches.slice(nearest, nearest + 2) as [TimeRange, TimeRange]
		stretches.splice(nearest, 2, { startMs: first.startMs, endMs: second.endMs })
	}
	return stretches
}

interface KeptBucket<Row> {
	/** The rolls from which it was read. */
	rolls: string
	/** Null: it has no calls. */
	row: Row | null
}

export interface BucketTimes {
	originMs: number
	intervalMs: number
}

const maxQueries = 50
const maxBuckets = 1000

/**
 * A cache of time series buckets that were read only from rolls of whole hours. A roll never changes, and a bucket of the same rolls
 * has the same figures. When seven days are queried again, only the first and the last hours are read.
 */
export class KeptBuckets<Row extends object> {
	/** By query, the most recent one last; then by the start of the bucket. */
	readonly #kept = new Map<string, Map<number, KeptBucket<Row>>>()
	#changes = 0

	/** The cached buckets of a query, whatever its range, and what is left to read. */
	of(query: string, range: TimeRange, times: BucketTimes, plan: ReadPlan): BucketsLeft<Row> {
		if (this.#changes !== rollups.hoursChanged()) this.#kept.clear()
		this.#changes = rollups.hoursChanged()
		const known = this.#kept.get(query) ?? new Map<number, KeptBucket<Row>>()
		this.#kept.delete(query)
		this.#kept.set(query, known)
		for (const old of this.#kept.keys()) {
			if (this.#kept.size <= maxQueries) break
			this.#kept.delete(old)
		}
		return new BucketsLeft(known, sealedBuckets(range, times, plan), times)
	}
}

class BucketsLeft<Row extends object> {
	readonly #known: Map<number, KeptBucket<Row>>
	/** The rolls of each bucket in the range that can be cached. */
	readonly #sealed: ReadonlyMap<number, string>
	readonly #times: BucketTimes
	readonly #found: ReadonlySet<number>

	constructor(known: Map<number, KeptBucket<Row>>, sealed: ReadonlyMap<number, string>, times: BucketTimes) {
		this.#known = known
		this.#sealed = sealed
		this.#times = times
		this.#found = new Set(
			[...sealed].flatMap(([startMs, rolls]) => (known.get(startMs)?.rolls === rolls ? [startMs] : [])),
		)
	}

	/** Whether a roll has calls of a bucket that is not cached. */
	isRead({ startMs }: CleanHour): boolean {
		const { intervalMs } = this.#times
		for (let bucketMs = this.#bucketOf(startMs); bucketMs < startMs + hourMs; bucketMs += intervalMs)
			if (!this.#found.has(bucketMs)) return true
		return false
	}

	/** Caches what was read, and adds the cached buckets. `read` may contain rows of buckets that were read only in part. */
	complete(read: ReadonlyMap<number, Row>): Map<number, Row> {
		const all = new Map([...read].filter(([startMs]) => !this.#found.has(startMs)))
		for (const [startMs, rolls] of this.#sealed) {
			const { row } = this.#found.has(startMs)
				? (this.#known.get(startMs) as KeptBucket<Row>)
				: { row: read.get(startMs) ?? null }
			this.#known.delete(startMs)
			this.#known.set(startMs, { rolls, row })
			if (row) all.set(startMs, row)
		}
		for (const old of this.#known.keys()) {
			if (this.#known.size <= maxBuckets) break
			this.#known.delete(old)
		}
		return all
	}

	#bucketOf(ms: number): number {
		const { originMs, intervalMs } = this.#times
		return originMs + Math.floor((ms - originMs) / intervalMs) * intervalMs
	}
}

/** The buckets that are completely in a range, and in hours that are read only from rolls; with those rolls. */
function sealedBuckets(
	{ startMs, endMs }: TimeRange,
	{ originMs, intervalMs }: BucketTimes,
	{ whole, parts, raw, open }: ReadPlan,
): Map<number, string> {
	const sealed = new Map<number, string>()
	const rolls = [...whole, ...parts].sort((a, b) => a.startMs - b.startMs)
	const unsealed = [...raw, ...(open?.hoursMs ?? []).map((hour) => ({ startMs: hour, endMs: hour + hourMs }))]
	let first = 0
	for (let at = originMs; at + intervalMs <= endMs; at += intervalMs) {
		const overlaps = (of: TimeRange) => of.startMs < at + intervalMs && of.endMs > at
		if (at < startMs || unsealed.some(overlaps)) continue
		while (first < rolls.length && (rolls[first] as CleanHour).startMs + hourMs <= at) first++
		let own = ''
		for (let next = first; next < rolls.length; next++) {
			const roll = rolls[next] as CleanHour
			if (roll.startMs >= at + intervalMs) break
			own += `${roll.startMs}:${roll.version} `
		}
		sealed.set(at, own)
	}
	return sealed
}
