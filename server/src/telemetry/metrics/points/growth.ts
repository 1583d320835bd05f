import type { TimeRange } from '../../../platform/time-range.ts'
import { type Distribution, subtractDistribution } from './distribution.ts'
import type { GrowthFigures } from './repository.ts'

/** What one series grew by in one interval. */
export interface Growth {
	group: readonly string[]
	bucket: number
	value: number
	distribution: Distribution
}

/** What series that tell their growth grew by. */
export function readDeltas(rows: readonly GrowthFigures[]): Growth[] {
	return rows.map(toGrowth)
}

/**
 * What series grew by that tell what they have grown to; rows are in the order of their runs. What a run had before its
 * first row is unknown and left out, unless it began in the range: then it began with nothing.
 */
export function readCumulative(rows: readonly GrowthFigures[], range: TimeRange): Growth[] {
	const growth: Growth[] = []
	let before: { run: string; state: Growth } | null = null
	for (const row of rows) {
		const state = toGrowth(row)
		const grown: Growth | null =
			before?.run === row.run ? since(state, before.state) : firstOf(row, state, range)
		if (grown && state.bucket >= 0) growth.push(grown)
		before = { run: row.run, state }
	}
	return growth
}

function firstOf(row: GrowthFigures, state: Growth, { startMs }: TimeRange): Growth | null {
	return BigInt(row.run_start) >= BigInt(startMs) * 1_000_000n ? state : null
}

/** A counter that is less than it was has begun again, whether or not its start says so. */
function since(now: Growth, before: Growth): Growth {
	if (now.value < before.value || now.distribution.count < before.distribution.count) return now
	const distribution = subtractDistribution(now.distribution, before.distribution)
	return distribution ? { ...now, value: now.value - before.value, distribution } : now
}

function toGrowth(row: GrowthFigures): Growth {
	const { group, bucket, value, sum, min, max, bounds } = row
	return {
		group,
		bucket: Number(bucket),
		value,
		distribution: {
			count: Number(row.count),
			sum,
			min,
			max,
			explicit: row.counts.length === 0 ? [] : [{ bounds, counts: row.counts.map(Number) }],
			exponential: exponentialOf(row),
		},
	}
}

function exponentialOf({ scale, zero, positive, negative }: GrowthFigures): Distribution['exponential'] {
	if (zero === '0' && positive[0].length === 0 && negative[0].length === 0) return null
	return { scale, zero: Number(zero), positive: toMap(positive), negative: toMap(negative) }
}

function toMap([indexes, counts]: [string[], string[]]): Map<number, number> {
	return new Map(indexes.map((index, at) => [Number(index), Number(counts[at])]))
}
