import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeMessage } from '../otlp/encode-request.ts'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

const timeUnixNano = String(BigInt(Date.now()) * 1_000_000n + 123n)
const startTimeUnixNano = String(BigInt(timeUnixNano) - 60_000_000_000n)
const times = { timeUnixNano, startTimeUnixNano }
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })

const request = {
	resourceMetrics: [
		{
			resource: { attributes: [text('service.name', 'svc')], droppedAttributesCount: 3 },
			schemaUrl: 'https://resource.example',
			scopeMetrics: [
				{
					scope: { name: 's', version: '1', attributes: [text('a', 'b')], droppedAttributesCount: 4 },
					schemaUrl: 'https://scope.example',
					metrics: [
						{
							name: 'g',
							unit: 'By',
							description: 'a gauge',
							metadata: [text('m', 'n')],
							gauge: {
								dataPoints: [
									{ ...times, asInt: '-9223372036854775808', attributes: [text('k', 'v')] },
									{ ...times, asDouble: 0.1 },
									{ ...times, flags: 1 },
								],
							},
						},
						{
							name: 's',
							sum: {
								aggregationTemporality: 1,
								isMonotonic: true,
								dataPoints: [
									{
										...times,
										asInt: 7,
										exemplars: [
											{
												timeUnixNano,
												asInt: '5',
												traceId: 'ab'.repeat(16),
												spanId: 'cd'.repeat(8),
												filteredAttributes: [text('e', 'f')],
											},
										],
									},
								],
							},
						},
						{
							name: 'h',
							histogram: {
								aggregationTemporality: 2,
								dataPoints: [
									{
										...times,
										count: '18446744073709551615',
										sum: -1.5,
										min: 0,
										max: 9,
										bucketCounts: ['1', 2, '18446744073709551612'],
										explicitBounds: [0.5, 1e300],
									},
									{ ...times, count: 0 },
								],
							},
						},
						{
							name: 'e',
							exponentialHistogram: {
								aggregationTemporality: 2,
								dataPoints: [
									{
										...times,
										count: '9',
										scale: -4,
										zeroCount: '2',
										zeroThreshold: 0.001,
										positive: { offset: -3, bucketCounts: ['1', '300'] },
										negative: { offset: 2 ** 31 - 1, bucketCounts: [4] },
									},
								],
							},
						},
						{
							name: 'q',
							summary: {
								dataPoints: [
									{
										...times,
										count: '3',
										sum: 4.5,
										quantileValues: [{ quantile: 0.5, value: 1.5 }, { quantile: 1 }],
									},
								],
							},
						},
					],
				},
			],
		},
	],
}

async function send(
	workspace: string,
	body: Buffer | string,
	type: string,
	path = '/v1/metrics',
): Promise<Response> {
	return fetch(server.url + path, {
		method: 'POST',
		headers: { authorization: `ingest ${workspace}`, 'content-type': type },
		body,
	})
}

async function rowsOf(workspace: string): Promise<Record<string, unknown>[]> {
	await server.stored()
	return server.store.query(
		'SELECT * EXCEPT(workspace_id), toString(toUnixTimestamp64Nano(recorded_at)) AS recorded_at FROM metrics WHERE workspace_id = {w:String} ORDER BY metric, toString(tuple(value_int, value_double, count))',
		{ w: workspace },
	)
}

test.each([
	['JSON', 'application/json', JSON.stringify(request)],
	['protobuf', 'application/x-protobuf', encodeMessage('metrics', request)],
	['protobuf with unpacked lists', 'application/x-protobuf', encodeMessage('metrics', request, false)],
])('every kind of metric is stored exactly: %s', async (name, type, body) => {
	const workspace = name.replaceAll(' ', '_')
	const response = await send(workspace, body, type)
	expect([response.status, await response.text()]).toEqual([200, type.endsWith('json') ? '{}' : ''])
	const rows = await rowsOf(workspace)
	const shared = {
		service_name: 'svc',
		resource: { 'service.name': 'svc' },
		resource_dropped_attributes: 3,
		resource_schema_url: 'https://resource.example',
		scope_name: 's',
		scope_version: '1',
		scope_attributes: { a: 'b' },
		scope_dropped_attributes: 4,
		scope_schema_url: 'https://scope.example',
		recorded_at: timeUnixNano,
		start_time_unix_nano: startTimeUnixNano,
	}
	const head = { unit: 'By', description: 'a gauge', metadata: { m: 'n' }, kind: 'gauge', temporality: 0 }
	expect(rows).toMatchObject([
		{
			...shared,
			metric: 'e',
			kind: 'exponential_histogram',
			count: '9',
			scale: -4,
			zero_count: '2',
			zero_threshold: 0.001,
			positive_offset: -3,
			positive_counts: ['1', '300'],
			negative_offset: 2 ** 31 - 1,
			negative_counts: ['4'],
			sum: null,
		},
		{
			...shared,
			...head,
			metric: 'g',
			value_int: '-9223372036854775808',
			value_double: null,
			attributes: { k: 'v' },
		},
		{ ...shared, ...head, metric: 'g', value_int: null, value_double: 0.1, flags: 0 },
		{ ...shared, ...head, metric: 'g', value_int: null, value_double: null, flags: 1 },
		{ ...shared, metric: 'h', kind: 'histogram', count: '0', bucket_counts: [], sum: null, min: null },
		{
			...shared,
			metric: 'h',
			temporality: 2,
			count: '18446744073709551615',
			sum: -1.5,
			min: 0,
			max: 9,
			bucket_counts: ['1', '2', '18446744073709551612'],
			explicit_bounds: [0.5, 1e300],
		},
		{
			...shared,
			metric: 'q',
			kind: 'summary',
			count: '3',
			sum: 4.5,
			quantiles: [0.5, 1],
			quantile_values: [1.5, 0],
		},
		{ ...shared, metric: 's', kind: 'sum', temporality: 1, is_monotonic: 1, value_int: '7' },
	])
	expect(JSON.parse(String(rows.at(-1)?.exemplars))).toEqual([
		{
			timeUnixNano,
			asInt: '5',
			traceId: 'ab'.repeat(16),
			spanId: 'cd'.repeat(8),
			filteredAttributes: [text('e', 'f')],
		},
	])
})

test('a point without a time is rejected alone, with its reason', async () => {
	const body = JSON.stringify({
		resourceMetrics: [
			{
				scopeMetrics: [
					{ metrics: [{ name: 'x', gauge: { dataPoints: [{ asInt: 1 }, { ...times, asInt: 2 }] } }] },
				],
			},
		],
	})
	const response = await send('partial', body, 'application/json', '/telemetry/ingest_http/metrics')
	expect([response.status, await response.json()]).toEqual([
		200,
		{
			partialSuccess: {
				rejectedDataPoints: '1',
				errorMessage: '1 data point: time_unix_nano is missing or out of range.',
			},
		},
	])
	expect(await rowsOf('partial')).toMatchObject([{ value_int: '2' }])
})

test("an exporter's retry is acknowledged and not counted twice", async () => {
	const body = JSON.stringify(request)
	for (let i = 0; i < 2; i++) expect((await send('twice', body, 'application/json')).status).toBe(200)
	expect(await rowsOf('twice')).toHaveLength(8)
})

test('many buckets in JSON, nearly all of them empty, are stored', async () => {
	// As OpenTelemetry's exporter for JavaScript writes an exponential histogram of few observations: two bytes a bucket.
	const buckets = { offset: -80, bucketCounts: [1, ...Array(158).fill(0), 1] }
	const dataPoints = Array.from({ length: 200 }, (_, index) => ({
		...{ ...times, attributes: [text('route', String(index))] },
		...{ count: 2, sum: 3, scale: 4, zeroCount: 0, positive: buckets },
	}))
	const metric = { name: 'sparse', exponentialHistogram: { aggregationTemporality: 2, dataPoints } }
	const body = JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] })
	const response = await send('sparse', body, 'application/json')
	expect([response.status, await response.json()]).toEqual([200, {}])
	expect(await rowsOf('sparse')).toHaveLength(200)
})

test('traces at this path are refused by name', async () => {
	const response = await send('w', '{"resourceSpans":[{}]}', 'application/json')
	expect([response.status, await response.json()]).toMatchObject([
		400,
		{ message: expect.stringContaining('This is a traces request, and this path takes metrics.') },
	])
})

test('the metrics of a workspace are listed with their kinds and units', async () => {
	await send('listed', JSON.stringify(request), 'application/json')
	await server.stored()
	const read = async (workspace: string) => {
		const headers = { authorization: `key ${workspace}` }
		return (await fetch(`${server.url}/v1/telemetry/metrics?service=svc`, { headers })).json()
	}
	const { metrics } = (await read('listed')) as { metrics: { name: string }[] }
	expect(metrics.map(({ name }) => name)).toEqual(['e', 'g', 'h', 'q', 's'])
	expect(metrics[1]).toEqual({
		name: 'g',
		kind: 'gauge',
		unit: 'By',
		description: 'a gauge',
		temporality: 'unspecified',
		is_monotonic: false,
		points: 3,
		last_at: expect.any(String),
	})
	expect(metrics[4]).toMatchObject({ kind: 'sum', temporality: 'delta', is_monotonic: true })
	expect(await read('nobody')).toEqual({ metrics: [], next_cursor: null })
})
