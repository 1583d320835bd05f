import type { OutputOf, QueryOf, telemetryQueryOperations } from '@signalbox/contract'
import { readInterval } from '../../../platform/choose-interval.ts'
import { toIso } from '../../../platform/clock.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { readTimeRange } from '../../../platform/time-range.ts'
import type { ReadDependencies } from '../../reads/list-spans.ts'
import { addDistributions, quantileOf } from './distribution.ts'
import { type Growth, readCumulative, readDeltas } from './growth.ts'
import {
	findGrowth,
	findShape,
	findValues,
	type GrowthFigures,
	type MetricShape,
	mostRows,
	type PointQuestion,
	type ValueFigures,
} from './repository.ts'

type Operation = (typeof telemetryQueryOperations)['points']
type Aggregate = QueryOf<Operation>['aggregate']

/** A figure of one group in one interval; null where there is none. */
interface Figure {
	group: readonly string[]
	bucket: number
	value: number | null
}

/** A metric over time. Throws Problem 404 for a metric that was not sent in the range, 400 for a figure that it does not have. */
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
	const question: PointQuestion = { range, intervalMs, metric, groupBy, service, attribute }
	const shape = await findShape(telemetry, workspaceId, question)
	if (!shape) throw notFound('metric')
	const figures = isLevel(shape)
		? readLevels(await findValues(telemetry, workspaceId, question, shape), aggregate)
		: readGrowth(await findGrowth(telemetry, workspaceId, question, shape), shape, aggregate, question)
	return {
		metric,
		kind: shape.kind,
		unit: shape.unit,
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		interval_ms: intervalMs,
		series: toSeries(figures, question),
	}
}

/** A level goes up and down and is read as it stands; all else grows. */
function isLevel({ kind, is_monotonic }: MetricShape): boolean {
	return kind === 'gauge' || (kind === 'sum' && is_monotonic === 0)
}

const quantiles: Partial<Record<Aggregate, number>> = { p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99 }
const quantileNames = Object.keys(quantiles)

function readLevels(rows: readonly ValueFigures[], aggregate: Aggregate): Figure[] {
	requireFew(rows)
	if (aggregate === 'rate') throw hasNot('A level', aggregate)
	return rows.map((row) => ({
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

function readGrowth(
	rows: readonly GrowthFigures[],
	shape: MetricShape,
	aggregate: Aggregate,
	{ range, intervalMs }: PointQuestion,
): Figure[] {
	requireFew(rows)
	const figure = shape.kind === 'sum' ? counterFigure(aggregate) : histogramFigure(shape.kind, aggregate)
	const growth = shape.temporality === 2 ? readCumulative(rows, range) : readDeltas(rows)
	return addUp(growth).map((grown) => ({ ...grown, value: figure(grown, intervalMs / 1000) }))
}

/** What all series of a group grew by together in each interval. */
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
		if (aggregate === 'avg') return count === 0 ? null : sum / count
		if (aggregate === 'rate') return count / seconds
		return distribution[aggregate as 'count' | 'sum' | 'min' | 'max']
	}
}

function toSeries(
	figures: readonly Figure[],
	{ groupBy, range, intervalMs }: PointQuestion,
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

function requireFew(rows: readonly unknown[]): void {
	if (rows.length > mostRows)
		throw refused('metric', `has over ${mostRows} points: ask for fewer series or a shorter time`)
}

function hasNot(thing: string, aggregate: Aggregate): Problem {
	return refused('aggregate', `${thing.toLowerCase()} has no ${aggregate}`)
}

function refused(field: string, detail: string): Problem {
	return new Problem('invalid_request', `${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'metric', detail }],
	})
}
