import { oneOf, pickText } from '../../lib/pick-text.ts'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'
import { parseAttributes } from './attribute-search.ts'

export const aggregates = [
	'avg',
	'sum',
	'min',
	'max',
	'last',
	'count',
	'rate',
	'p50',
	'p75',
	'p90',
	'p95',
	'p99',
] as const
export type Aggregate = (typeof aggregates)[number]

/** Which metrics are listed and which one is drawn, as in the URL. */
export interface MetricsSearch extends Partial<TimeRange> {
	q?: string
	service?: string
	/** Conditions on the attributes of data points. */
	attribute?: string[]
	metric?: string
	aggregate?: Aggregate
	/** An attribute: one series per value. */
	group?: string
}

export function parseMetricsSearch(search: Record<string, unknown>): MetricsSearch {
	const range = parseRange(search)
	const aggregate = oneOf(aggregates, search.aggregate)
	return {
		...(range.start !== defaultRange.start && range),
		...pickText(search, ['q', 'service', 'metric', 'group']),
		...(aggregate && { aggregate }),
		...parseAttributes(search.attribute),
	}
}

interface MetricShape {
	kind: 'gauge' | 'sum' | 'histogram' | 'exponential_histogram' | 'summary'
	is_monotonic: boolean
}

/** The aggregates of a metric's data points, the most informative first. */
export function aggregatesFor({ kind, is_monotonic }: MetricShape): readonly Aggregate[] {
	if (kind === 'summary') return ['avg', 'rate', 'count', 'sum']
	if (kind === 'histogram' || kind === 'exponential_histogram')
		return ['p95', 'p50', 'p75', 'p90', 'p99', 'avg', 'rate', 'count', 'sum']
	if (kind === 'sum' && is_monotonic) return ['rate', 'sum']
	return ['avg', 'last', 'min', 'max', 'sum', 'count', 'p50', 'p95', 'p99']
}

/** The unit of a figure. `count` and the `rate` of a histogram or summary count observations, not what was observed. */
export function unitOf(
	{ kind, unit }: Pick<MetricShape, 'kind'> & { unit: string },
	aggregate: Aggregate,
): string {
	// `1` is no unit, and braces mark an annotation, such as `{jobs}`.
	const own = unit === '1' ? '' : unit.replace(/^\{(.*)\}$/, '$1')
	if (aggregate === 'rate') return kind === 'sum' ? `${own}/s` : '/s'
	return aggregate === 'count' ? '' : own
}

/** A metric whose kind or unit changed is listed once for each. What is drawn is what was sent last. */
export function lastSent<M extends { name: string; last_at: string }>(
	all: readonly M[],
	name?: string,
): M | undefined {
	return all.filter((one) => one.name === name).sort((a, b) => b.last_at.localeCompare(a.last_at))[0]
}
