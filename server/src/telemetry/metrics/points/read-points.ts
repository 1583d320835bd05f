import type { OutputOf, QueryOf, telemetryQueryOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { readInterval, readTimeRange, type TimeRange } from '../../../platform/time-range.ts'
import type { ReadDependencies } from '../../reads/cursor.ts'
import {
	findGrowth,
	findShapes,
	findValues,
	type GrowthFigures,
	isCumulative,
	isLevel,
	type MetricShape,
	maxRows,
	type PointQuery,
	type ValueFigures,
} from '../metric-repository.ts'

/** Observations by bucket, of one or many data points. */
interface Distribution {
	count: number
	/** These are null if they are not known of all observations. */
	sum: number | null
	min: number | null
	max: number | null
	/** Buckets with explicit bounds. Each list of bounds has one more count than bounds. */
	explicit: readonly { bounds: readonly number[]; counts: readonly number[] }[]
	exponential: Exponential | null
}

/** Bucket `i` of scale `s` covers `(b^i, b^(i+1)]`, where `b` is `2^(2^-s)`; `negative` likewise for values below zero. */
interface Exponential {
	scale: number
	zero: number
	positive: ReadonlyMap<number, number>
	negative: ReadonlyMap<number, number>
}

/** The sum of both. Buckets of different scales are merged into those of the coarser scale. */
function addDistributions(a: Distribution, b: Distribution): Distribution {
	if (a.count === 0) return b
	if (b.count === 0) return a
	return {
		count: a.count + b.count,
		sum: ofBoth(a.sum, b.sum, (one, other) => one + other),
		min: ofBoth(a.min, b.min, Math.min),
		max: ofBoth(a.max, b.max, Math.max),
		explicit: mergeExplicit([...a.explicit, ...b.explicit]),
		exponential: combine(a.exponential, b.exponential, 1),
	}
}

/** Most series of a metric have the same bounds; their counts are added. */
function mergeExplicit(lists: Distribution['explicit']): Distribution['explicit'] {
	return Array.from(Map.groupBy(lists, ({ bounds }) => String(bounds)).values(), (same) =>
		same.reduce(({ bounds, counts }, other) => ({
			bounds,
			counts: counts.map((count, at) => count + (other.counts[at] ?? 0)),
		})),
	)
}

type Combine = (a: number, b: number) => number
function ofBoth(a: number | null, b: number | null, combine: Combine): number | null {
	return a === null || b === null ? null : combine(a, b)
}

/** The observations in `later` that are not in `earlier`, for one cumulative histogram; null if they have no buckets in common. */
function subtractDistribution(later: Distribution, earlier: Distribution): Distribution | null {
	const [new_, old] = [later.explicit[0], earlier.explicit[0]]
	if (String(new_?.bounds) !== String(old?.bounds)) return null
	const counts = new_?.counts.map((count, at) => count - (old?.counts[at] ?? 0)) ?? []
	return {
		count: later.count - earlier.count,
		sum: ofBoth(later.sum, earlier.sum, (now, before) => now - before),
		// They cover the histogram's whole time, so they are unknown for a part of it.
		min: null,
		max: null,
		explicit: new_ ? [{ bounds: new_.bounds, counts }] : [],
		exponential: combine(later.exponential, earlier.exponential, -1),
	}
}

function combine(a: Exponential | null, b: Exponential | null, sign: 1 | -1): Exponential | null {
	if (!a || !b) return a ?? b
	const scale = Math.min(a.scale, b.scale)
	let zero = a.zero + sign * b.zero
	const side = (name: 'positive' | 'negative') => {
		const sum = rescale(a[name], a.scale - scale)
		for (const [index, count] of rescale(b[name], b.scale - scale)) {
			const left = (sum.get(index) ?? 0) + sign * count
			sum.set(index, Math.max(0, left))
			// What a bucket lost was moved to the zero bucket, which became wider.
			zero += Math.min(0, left)
		}
		return sum
	}
	const [positive, negative] = [side('positive'), side('negative')]
	return { scale, zero, positive, negative }
}

/** Each step of the scale merges two buckets into one. */
function rescale(buckets: ReadonlyMap<number, number>, steps: number): Map<number, number> {
	const coarser = new Map<number, number>()
	for (const [index, count] of buckets) {
		const at = Math.floor(index / 2 ** steps)
		coarser.set(at, (coarser.get(at) ?? 0) + count)
	}
	return coarser
}

interface Bucket {
	from: number
	to: number
	count: number
}

/**
 * The value below which `q` (0 to 1) of the observations lie, assuming that they are evenly spread inside a bucket; null if there
 * are none. Never beyond `min` and `max`, where these are known. Buckets of several series may overlap.
 */
function quantileOf(distribution: Distribution, q: number): number | null {
	const buckets = bucketsOf(distribution)
	const total = buckets.reduce((sum, { count }) => sum + count, 0)
	if (total === 0) return null
	const wanted = q * total
	const edges = [...new Set(buckets.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
	let [low, high] = [0, edges.length - 1]
	while (low < high) {
		const middle = (low + high) >> 1
		if (countUpTo(buckets, edges[middle] as number) >= wanted) high = middle
		else low = middle + 1
	}
	const to = edges[low] as number
	const from = edges[low - 1] ?? to
	const [before, here] = [countUpTo(buckets, from), countUpTo(buckets, to, true)]
	const value =
		here > wanted && before < wanted ? from + (to - from) * ((wanted - before) / (here - before)) : to
	return Math.min(Math.max(value, distribution.min ?? value), distribution.max ?? value)
}

/** How many observations are at most `value` or, with `isBelow`, less. A bucket without a width is a single value. */
function countUpTo(buckets: readonly Bucket[], value: number, isBelow = false): number {
	return buckets.reduce((sum, { from, to, count }) => {
		if (from === to) return from < value || (from === value && !isBelow) ? sum + count : sum
		return sum + count * Math.min(1, Math.max(0, (value - from) / (to - from)))
	}, 0)
}

function bucketsOf({ explicit, exponential, min, max }: Distribution): Bucket[] {
	const lists = explicit.map(({ bounds, counts }) =>
		counts.map((count, at) => {
			// The outermost buckets have no bound of their own.
			const from = bounds[at - 1] ?? Math.min(min ?? 0, bounds[0] ?? 0)
			return { from, to: bounds[at] ?? Math.max(max ?? from, from), count }
		}),
	)
	return [...lists.flat(), ...exponentialBuckets(exponential)].filter(({ count }) => count > 0)
}

function exponentialBuckets(exponential: Exponential | null): Bucket[] {
	if (!exponential) return []
	const bound = (index: number) => Math.min(2 ** (index * 2 ** -exponential.scale), Number.MAX_VALUE)
	const { positive, negative, zero } = exponential
	const above = Array.from(positive, ([at, count]) => ({ from: bound(at), to: bound(at + 1), count }))
	const below = Array.from(negative, ([at, count]) => ({ from: -bound(at + 1), to: -bound(at), count }))
	return [...below, { from: 0, to: 0, count: zero }, ...above]
}

/** Growth of one series in one interval. */
interface Growth {
	group: readonly string[]
	bucket: number
	value: number
	distribution: Distribution
}

/**
 * Growth of series with cumulative temporality; rows are in the order of their runs. A run's total before its first row is unknown
 * and left out, unless the run began within the range; then it began at zero, or at the total that its sender found (`growthBucket`).
 */
function readCumulative(rows: readonly GrowthFigures[], { startMs }: TimeRange): Growth[] {
	const startNs = BigInt(startMs) * 1_000_000n
	const growth: Growth[] = []
	let before: { row: GrowthFigures; state: Growth } | null = null
	for (const row of rows) {
		const state = toGrowth(row)
		const beganAtZero = row.resets !== '0' || BigInt(row.run_start) >= startNs
		const first = beganAtZero ? state : null
		const isContinued = before?.row.run === row.run && before.row.resets === row.resets
		const grown: Growth | null = before && isContinued ? since(state, before.state) : first
		if (grown && state.bucket >= 0) growth.push(grown)
		before = { row, state }
	}
	return growth
}

function since(now: Growth, before: Growth): Growth {
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

type Operation = (typeof telemetryQueryOperations)['points']
type Aggregate = QueryOf<Operation>['aggregate']

/** A figure of one group in one interval; null if there is none. */
interface Figure {
	group: readonly string[]
	bucket: number
	value: number | null
}

/**
 * A metric over time. Throws Problem 404 for a metric that was not sent in the range, 400 for a figure that the metric does not
 * have.
 */
export async function readPoints(
	{ telemetry, clock }: Pick<ReadDependencies, 'telemetry' | 'clock'>,
	workspaceId: string,
	{
		start,
		end,
		metric,
		aggregate,
		group_by: groupBy = [],
		interval_ms,
		service,
		attribute,
	}: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const range = readTimeRange(
		{ ...(start !== undefined && { start }), ...(end !== undefined && { end }) },
		clock.nowMs(),
	)
	const intervalMs = readInterval(range, interval_ms)
	const query: PointQuery = { range, intervalMs, metric, groupBy, service, attribute }
	const shapes = await findShapes(telemetry, workspaceId, query)
	const [shape] = shapes
	if (!shape) throw notFound('metric')
	const grown = (each: MetricShape) => findGrowth(telemetry, workspaceId, query, each)
	const figures = isLevel(shape)
		? readLevels(await findValues(telemetry, workspaceId, query, shape), aggregate)
		: await readGrowth(shapes.filter(isLike(shape)), grown, aggregate, query)
	return {
		metric,
		kind: shape.kind,
		unit: shape.unit,
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		interval_ms: intervalMs,
		series: toSeries(figures, query),
	}
}

/** Senders choose the temporality, and whether a histogram has explicit bounds; their growth can be added all the same. */
function isLike(shape: MetricShape): (other: MetricShape) => boolean {
	const kindOf = ({ kind }: MetricShape) => (kind === 'exponential_histogram' ? 'histogram' : kind)
	return (other) => other.unit === shape.unit && kindOf(other) === kindOf(shape) && !isLevel(other)
}

const quantiles: Partial<Record<Aggregate, number>> = { p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99 }
const quantileNames = Object.keys(quantiles)

function readLevels(rows: ValueFigures[], aggregate: Aggregate): Figure[] {
	if (aggregate === 'rate') throw hasNot('A level', aggregate)
	return requireFew(rows).map((row) => ({
		group: row.group,
		bucket: Number(row.bucket),
		value: levelOf(row, aggregate),
	}))
}

function levelOf(row: ValueFigures, aggregate: Exclude<Aggregate, 'rate'>): number | null {
	const count = Number(row.count)
	if (aggregate === 'count') return count
	if (aggregate === 'avg') return row.sum / count
	if (aggregate === 'sum' || aggregate === 'min' || aggregate === 'max' || aggregate === 'last')
		return row[aggregate]
	return row.quantiles[quantileNames.indexOf(aggregate)] ?? null
}

async function readGrowth(
	shapes: readonly MetricShape[],
	find: (shape: MetricShape) => Promise<GrowthFigures[]>,
	aggregate: Aggregate,
	{ range, intervalMs }: PointQuery,
): Promise<Figure[]> {
	const { kind } = shapes[0] as MetricShape
	const figure = kind === 'sum' ? counterFigure(aggregate) : histogramFigure(kind, aggregate)
	let growth: Growth[] = []
	for (const shape of shapes) {
		const rows = requireFew(await find(shape))
		growth = growth.concat(isCumulative(shape) ? readCumulative(rows, range) : rows.map(toGrowth))
	}
	// The range may end within the last interval.
	const secondsOf = (bucket: number) =>
		Math.min(intervalMs, range.endMs - range.startMs - bucket * intervalMs) / 1000
	return addUp(growth).map((grown) => ({ ...grown, value: figure(grown, secondsOf(grown.bucket)) }))
}

/** The combined growth of all series of a group in each interval. */
function addUp(growth: readonly Growth[]): Growth[] {
	const sums = new Map<string, Growth>()
	for (const grown of growth) {
		const key = JSON.stringify([grown.group, grown.bucket])
		const sum = sums.get(key)
		sums.set(
			key,
			sum
				? {
						...sum,
						value: sum.value + grown.value,
						distribution: addDistributions(sum.distribution, grown.distribution),
					}
				: grown,
		)
	}
	return [...sums.values()]
}

type FigureOf = (grown: Growth, seconds: number) => number | null

function counterFigure(aggregate: Aggregate): FigureOf {
	if (aggregate === 'sum') return ({ value }) => value
	if (aggregate === 'rate') return ({ value }, seconds) => value / seconds
	throw hasNot('A counter', aggregate)
}

function histogramFigure(kind: MetricShape['kind'], aggregate: Aggregate): FigureOf {
	const q = quantiles[aggregate]
	if (
		aggregate === 'last' ||
		(kind === 'summary' && (q !== undefined || aggregate === 'min' || aggregate === 'max'))
	)
		throw hasNot(kind === 'summary' ? 'A summary' : 'A histogram', aggregate)
	if (q !== undefined) return ({ distribution }) => quantileOf(distribution, q)
	return ({ distribution }, seconds) => {
		const { count, sum } = distribution
		if (aggregate === 'avg') return count === 0 || sum === null ? null : sum / count
		if (aggregate === 'rate') return count / seconds
		return distribution[aggregate as 'count' | 'sum' | 'min' | 'max']
	}
}

function toSeries(
	figures: readonly Figure[],
	{ groupBy, range, intervalMs }: PointQuery,
): OutputOf<Operation>['series'] {
	const groups = Map.groupBy(figures, ({ group }) => JSON.stringify(group))
	return Array.from(groups, ([values, own]) => ({
		group: Object.fromEntries(groupBy.map((key, at) => [key, (JSON.parse(values) as string[])[at] ?? ''])),
		points: own
			.sort((a, b) => a.bucket - b.bucket)
			.flatMap(({ bucket, value }) =>
				value === null ? [] : [{ start: toIso(range.startMs + bucket * intervalMs), value }],
			),
	}))
}

function requireFew<T>(rows: T[]): T[] {
	if (rows.length <= maxRows) return rows
	throw refused('metric', `has over ${maxRows} points: ask for fewer series or a shorter time`)
}

function hasNot(thing: string, aggregate: Aggregate): Problem {
	return refused('aggregate', `${thing.toLowerCase()} has no ${aggregate}`)
}

function refused(field: string, detail: string): Problem {
	return new Problem('invalid_request', `${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'metric', detail }],
	})
}
