import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTelemetryServer, type TelemetryServer } from '../../testing.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
	await send()
})
afterAll(() => server.close())

const minute = 60_000
/** A range of five minutes from here, in intervals of a minute. */
const startMs = Math.floor((Date.now() - 10 * minute) / minute) * minute
const at = (minutes: number) => String(BigInt(startMs + minutes * minute) * 1_000_000n)
const tagged = (value: string) => [{ key: 'host', value: { stringValue: value } }]

/** What the histograms observed in one minute. */
const observed = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const bounds = [2.5, 5, 7.5, 10]
const explicit = (times: number) => ({
	count: String(10 * times),
	sum: 55 * times,
	explicitBounds: bounds,
	bucketCounts: [2, 3, 2, 3, 0].map((count) => String(count * times)),
})
/** Bucket `i` is `(b^i, b^(i+1)]`, where `b` is `2^(2^-scale)`. */
const exponential = (times: number, scale: number) => {
	const index = (value: number) => Math.ceil(Math.log2(value) * 2 ** scale) - 1
	const offset = Math.min(...observed.map(index))
	const bucketCounts = Array.from({ length: index(10) - offset + 1 }, (_, at) =>
		String(observed.filter((value) => index(value) === at + offset).length * times),
	)
	return {
		count: String(10 * times),
		sum: 55 * times,
		scale,
		zeroCount: '0',
		positive: { offset, bucketCounts },
	}
}

const metrics = [
	{
		name: 'level',
		unit: 'By',
		gauge: {
			dataPoints: [
				{ timeUnixNano: at(0.1), asInt: '4', attributes: tagged('a') },
				{ timeUnixNano: at(0.5), asDouble: 8, attributes: tagged('a') },
				{ timeUnixNano: at(0.2), asInt: '100', attributes: tagged('b') },
				{ timeUnixNano: at(2.5), asInt: '6', attributes: tagged('a') },
			],
		},
	},
	{
		name: 'counter',
		sum: {
			aggregationTemporality: 2,
			isMonotonic: true,
			dataPoints: [
				// It began before the range: its total at that time is not growth within the range.
				...[100, 160, 220].map((value, index) => ({
					timeUnixNano: at(index + 0.9),
					startTimeUnixNano: at(-500),
					asInt: String(value),
					attributes: tagged('a'),
				})),
				// It was reset in minute 3.
				{ timeUnixNano: at(3.5), startTimeUnixNano: at(3.1), asInt: '30', attributes: tagged('a') },
				{ timeUnixNano: at(4.5), startTimeUnixNano: at(3.1), asInt: '50', attributes: tagged('a') },
				{ timeUnixNano: at(1.5), startTimeUnixNano: at(1), asInt: '7', attributes: tagged('b') },
				// Without a start time, a smaller value is a reset.
				...[10, 15, 5].map((value, index) => ({
					timeUnixNano: at(index + 0.2),
					asInt: String(value),
					attributes: tagged('c'),
				})),
				// It may then grow beyond what it was, before the interval ends.
				...[
					[0.2, 10],
					[0.4, 4],
					[1.1, 50],
					[1.4, 3],
					[1.8, 120],
					[2.3, 130],
				].map(([minutes = 0, value]) => ({
					timeUnixNano: at(minutes),
					asInt: String(value),
					attributes: tagged('d'),
				})),
			],
		},
	},
	{
		name: 'deltas',
		sum: {
			aggregationTemporality: 1,
			isMonotonic: true,
			dataPoints: [0.1, 0.6, 2.2].map((minutes) => ({ timeUnixNano: at(minutes), asInt: '60' })),
		},
	},
	{
		name: 'explicit',
		histogram: {
			aggregationTemporality: 2,
			dataPoints: [1, 3].map((times, index) => ({
				...explicit(times),
				timeUnixNano: at(index + 0.5),
				startTimeUnixNano: at(0),
			})),
		},
	},
	{
		name: 'restarted',
		histogram: {
			aggregationTemporality: 2,
			dataPoints: [
				[0.2, 1],
				[1.1, 4],
				[1.3, 1],
				[1.5, 5],
			].map(([minutes = 0, times = 0]) => ({ ...explicit(times), timeUnixNano: at(minutes) })),
		},
	},
	{
		// Micrometer 1.17: `serviceLevelObjectives(10 ms, 100 ms)`, delta, from two programs. The third has other bounds.
		name: 'objectives',
		histogram: {
			aggregationTemporality: 1,
			dataPoints: [
				{ host: 'a', explicitBounds: [10, 100], bucketCounts: ['10', '90', '0'] },
				{ host: 'b', explicitBounds: [10, 100], bucketCounts: ['10', '90', '0'] },
				{ host: 'c', explicitBounds: [50], bucketCounts: ['50', '50'] },
			].map(({ host, ...buckets }) => ({
				...{ ...buckets, attributes: tagged(host), count: '100', sum: 5050, max: 100 },
				...{ timeUnixNano: at(0.5), startTimeUnixNano: at(0.4) },
			})),
		},
	},
	// Of programs with OpenTelemetry for Rust 0.33, one with `Temporality::Delta`, and with a histogram of each kind.
	...[1, 2].map((aggregationTemporality) => ({
		name: 'rust.counter',
		unit: '{call}',
		sum: {
			...{ aggregationTemporality, isMonotonic: true },
			dataPoints: [{ timeUnixNano: at(0.5), startTimeUnixNano: at(0.4), asInt: '10' }],
		},
	})),
	{
		name: 'rust.histogram',
		histogram: {
			aggregationTemporality: 2,
			dataPoints: [{ ...explicit(1), timeUnixNano: at(0.5), startTimeUnixNano: at(0.4) }],
		},
	},
	{
		name: 'rust.histogram',
		exponentialHistogram: {
			aggregationTemporality: 1,
			dataPoints: [{ ...exponential(1, 6), timeUnixNano: at(0.6), startTimeUnixNano: at(0.4) }],
		},
	},
	{
		name: 'exponential',
		exponentialHistogram: {
			aggregationTemporality: 1,
			dataPoints: [6, 4].map((scale) => ({ ...exponential(1, scale), timeUnixNano: at(0.5) })),
		},
	},
	{
		// As Micrometer sends it, with one process that was running before the range and one that started within it.
		name: 'summary',
		summary: {
			dataPoints: [-500, 0.1].flatMap((start) =>
				[9, 23, 40].map((count, index) => ({
					timeUnixNano: at(index + 0.5),
					startTimeUnixNano: at(start),
					count: String(count),
					sum: count * 2,
				})),
			),
		},
	},
]

/** A metric of one kind, and points of a run that began long before the range. */
const kindOf = (name: string, kind: string, aggregationTemporality: number, dataPoints: object[]) => ({
	name,
	[kind]: { aggregationTemporality, isMonotonic: kind === 'sum', dataPoints },
})
const later = (minutes: number, fields: object) => ({
	...{ timeUnixNano: at(minutes), startTimeUnixNano: at(-500) },
	...fields,
})
const totals = (apart: number, start: number, values: number[]) =>
	values.map((asInt, index) => ({ ...later(apart * index, { asInt }), startTimeUnixNano: at(start) }))
const odd = [
	kindOf('pause', 'sum', 2, [
		...[later(0.5, { asInt: '100' }), later(1.2, { flags: 1 }), later(1.3, { asDouble: 'NaN' })],
		...[later(2.5, { asInt: '110' })],
	]),
	kindOf('not.a.number', 'gauge', 0, [later(0.5, { asDouble: 'NaN' }), later(0.6, { asInt: '4' })]),
	{
		...{ name: 'up.down', unit: '{job}' },
		sum: { aggregationTemporality: 2, dataPoints: [-1, 0.5].map((when) => later(when, { asInt: '3' })) },
	},
	// The scale became coarser twice within an interval.
	kindOf('coarser', 'exponentialHistogram', 2, [
		...[[0.5, 5, 10] as const, [1.1, 5, 12] as const, [1.5, 2, 20] as const, [1.9, 0, 30] as const].map(
			([when, scale, count]) => later(when, { scale, count, positive: { bucketCounts: [count] } }),
		),
	]),
	kindOf('widened', 'exponentialHistogram', 2, [
		later(0.5, { count: 9, positive: { offset: -9, bucketCounts: [9] } }),
		later(1.5, { count: 19, zeroCount: 9, zeroThreshold: 0.1, positive: { offset: 3, bucketCounts: [10] } }),
	]),
	kindOf('endless', 'exponentialHistogram', 1, [
		later(0.5, { scale: -4, count: 3, positive: { offset: 63, bucketCounts: [3] } }),
	]),
	kindOf('half', 'histogram', 1, [
		later(0.5, { count: 10, sum: 10, min: 1, max: 1, explicitBounds: [10, 1000], bucketCounts: [10, 0, 0] }),
		later(0.5, { count: 990, explicitBounds: [10, 1000], bucketCounts: [0, 990, 0] }),
		later(0.6, { count: 0 }),
	]),
	// OpenTelemetry's Collector began to read a Prometheus target: the first point has no duration.
	kindOf('found', 'sum', 2, totals(1, 0, [5000, 5003, 10])),
	kindOf('known', 'sum', 2, totals(0.4, -500, [100, 101, 103, 110])),
]
const ofScope = (name: string, growth: number) => ({
	scope: { name },
	metrics: [
		kindOf(
			'shared',
			'sum',
			2,
			[0, 1].map((when) => later(when + 0.5, { asInt: 1000 * growth + growth * when })),
		),
	],
})

async function send(): Promise<void> {
	const response = await fetch(`${server.url}/v1/metrics`, {
		method: 'POST',
		headers: { authorization: 'ingest w', 'content-type': 'application/json' },
		body: JSON.stringify({
			resourceMetrics: [
				{
					resource: { attributes: [{ key: 'service.name', value: { stringValue: 'svc' } }] },
					scopeMetrics: [{ metrics: [...metrics, ...odd] }, ofScope('a', 1), ofScope('b', 20)],
				},
			],
		}),
	})
	expect([response.status, await response.json()]).toEqual([200, {}])
	await server.stored()
}

async function ask(query: string, workspace = 'w', minutes = 5) {
	const range = `start=${new Date(startMs).toISOString()}&end=${new Date(startMs + minutes * minute).toISOString()}`
	const response = await fetch(
		`${server.url}/v1/telemetry/metrics/points?${range}&interval_ms=${minute}&${query}`,
		{ headers: { authorization: `key ${workspace}` } },
	)
	// biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
	return { status: response.status, body: (await response.json()) as any }
}

/** Group, and value by minute. */
async function series(query: string): Promise<[Record<string, string>, Record<number, number>][]> {
	const { status, body } = await ask(query)
	expect([status, body.detail]).toEqual([200, undefined])
	const all: { group: Record<string, string>; points: { start: string; value: number }[] }[] = body.series
	const minuteOf = (time: string) => (Date.parse(time) - startMs) / minute
	return all.map(({ group, points }) => [
		group,
		Object.fromEntries(points.map(({ start, value }) => [minuteOf(start), value])),
	])
}

describe('a level', () => {
	test('is averaged, summed and grouped by attributes', async () => {
		expect(await series('metric=level')).toEqual([[{}, { 0: 112 / 3, 2: 6 }]])
		expect(await series('metric=level&aggregate=max&group_by=host')).toEqual([
			[{ host: 'a' }, { 0: 8, 2: 6 }],
			[{ host: 'b' }, { 0: 100 }],
		])
		expect(await series('metric=level&aggregate=last&attribute=host%3Da')).toEqual([[{}, { 0: 8, 2: 6 }]])
		expect(
			await series('metric=level&aggregate=p50&service=svc&group_by=host&group_by=service.name'),
		).toEqual([
			[
				{ host: 'a', 'service.name': 'svc' },
				{ 0: 8, 2: 6 },
			],
			[{ host: 'b', 'service.name': 'svc' }, { 0: 100 }],
		])
		expect((await ask('metric=level')).body).toMatchObject({ kind: 'gauge', unit: 'By', interval_ms: minute })
	})
})

describe('a counter', () => {
	test('shows its growth, whatever its total before and however often it was reset', async () => {
		expect(await series('metric=counter&aggregate=sum&group_by=host')).toEqual(
			expect.arrayContaining([
				[{ host: 'a' }, { 1: 60, 2: 60, 3: 30, 4: 20 }],
				[{ host: 'b' }, { 1: 7 }],
				[{ host: 'c' }, { 1: 5, 2: 5 }],
				[{ host: 'd' }, { 0: 4, 1: 46 + 120, 2: 10 }],
			]),
		)
		expect(await series('metric=counter&aggregate=rate&attribute=host%3Da')).toEqual([
			[{}, { 1: 1, 2: 1, 3: 0.5, 4: 1 / 3 }],
		])
		expect(await series('metric=deltas&aggregate=rate')).toEqual([[{}, { 0: 2, 2: 1 }]])
	})
})

describe('a histogram', () => {
	test('shows what it observed in each interval', async () => {
		expect(await series('metric=explicit&aggregate=count')).toEqual([[{}, { 0: 10, 1: 20 }]])
		expect(await series('metric=explicit&aggregate=avg')).toEqual([[{}, { 0: 5.5, 1: 5.5 }]])
		expect(await series('metric=explicit&aggregate=p50')).toEqual([[{}, { 0: 5, 1: 5 }]])
		const [[, p90] = []] = await series('metric=explicit&aggregate=p90')
		expect(p90?.[1]).toBeCloseTo(7.5 + 2.5 * (2 / 3))
	})

	test('of several senders has the quantiles of all observations together', async () => {
		const p50 = async (filter: string) => (await series(`metric=objectives&aggregate=p50${filter}`))[0]?.[1]
		const ofEach = { 0: 10 + 90 * (40 / 90) }
		expect(await p50('&attribute=host%3Da')).toEqual(ofEach)
		expect(await p50('&attribute=host!%3Dc')).toEqual(ofEach)
		expect(await p50('')).toEqual({ 0: 50 })
	})

	test('with exponential buckets of several scales is exact to a bucket of the coarser one', async () => {
		const width = 2 ** (2 ** -4)
		for (const [aggregate, value] of [
			['p50', 5],
			['p90', 9],
			['p99', 10],
		] as const) {
			const [[, points] = []] = await series(`metric=exponential&aggregate=${aggregate}`)
			expect(points?.[0]).toBeGreaterThan(value / width)
			expect(points?.[0]).toBeLessThanOrEqual(value * width)
		}
		expect(await series('metric=exponential&aggregate=sum')).toEqual([[{}, { 0: 110 }]])
	})
})

test('what senders report with different temporality, or in histograms of different kinds, is added up', async () => {
	expect(await series('metric=rust.counter&aggregate=sum')).toEqual([[{}, { 0: 20 }]])
	expect(await series('metric=rust.histogram&aggregate=count')).toEqual([[{}, { 0: 20 }]])
	expect(await series('metric=rust.histogram&aggregate=sum')).toEqual([[{}, { 0: 110 }]])
	const [[, p50] = []] = await series('metric=rust.histogram&aggregate=p50')
	expect(p50?.[0]).toBeCloseTo(5, 1)
})

test('the count and the sum of a summary are totals, whose growth is shown', async () => {
	expect(await series('metric=summary&aggregate=count')).toEqual([[{}, { 0: 9, 1: 28, 2: 34 }]])
	expect(await series('metric=summary&aggregate=sum')).toEqual([[{}, { 0: 18, 1: 56, 2: 68 }]])
	expect(await series('metric=summary&aggregate=avg')).toEqual([[{}, { 0: 2, 1: 2, 2: 2 }]])
})

test.each([
	['a point without a value is not a zero to start again from', 'pause&aggregate=sum', { 2: 10 }],
	['a value that is not a number is left out', 'not.a.number', { 0: 4 }],
	['growth begins at the total that was found', 'found&aggregate=sum', { 1: 3, 2: 10 }],
	['or at the first one that is known', 'known&aggregate=sum', { 0: 3, 1: 7 }],
	['a level has no points before the range', 'up.down&aggregate=sum', { 0: 3 }],
	['a counter of two scopes is two series', 'shared&aggregate=sum', { 1: 21 }],
	['a scale that becomes coarser is no reset', 'coarser&aggregate=count', { 1: 20 }],
	['a histogram may be reset within an interval', 'restarted&aggregate=count', { 1: 30 + 50 }],
	['and its buckets start from zero', 'restarted&aggregate=p50', { 1: 5 }],
	['what a wider zero bucket takes over was observed before', 'widened&aggregate=p50', { 1: 12 }],
	['a bucket without an end ends at the largest number', 'endless&aggregate=p50', { 0: expect.any(Number) }],
	['the extremes of some points do not limit the quantiles of all', 'half&aggregate=p99', { 0: 990 }],
	['nor are they the extremes of all', 'half&aggregate=max', {}],
	['a sum that is not known is not zero', 'half&aggregate=avg', {}],
])('%s', async (_name, query, points) => {
	expect(await series(`metric=${query}`)).toEqual([[{}, points]])
})

test('the rate of an interval that the range cuts off is that of its part within the range', async () => {
	const { body } = await ask('metric=deltas&aggregate=rate', 'w', 2.5)
	expect(body.series[0].points.at(-1).value).toBe(2)
})

test.each([
	['metric=nothing', 404],
	['metric=counter&aggregate=p95', 400],
	['metric=level&aggregate=rate', 400],
	['metric=explicit&aggregate=last', 400],
	['aggregate=avg', 400],
])('?%s answers %s', async (query, status) => {
	expect((await ask(query)).status).toBe(status)
})

test('a metric of another workspace is not found', async () => {
	expect((await ask('metric=level', 'other')).status).toBe(404)
})
