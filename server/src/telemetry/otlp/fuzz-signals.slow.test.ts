import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomCases } from '../../platform/random-cases.testing.ts'
import { transcodeLogsJson, transcodeLogsProtobuf } from '../logs/transcode-logs.ts'
import { transcodeMetricsJson, transcodeMetricsProtobuf } from '../metrics/transcode-metrics.ts'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { type DecodeOptions, Rejected } from './decoded.ts'
import { encodeMessage } from './encode-request.ts'
import { settledMemory } from './testing/requests.ts'
import { Malformed } from './wire-reader.ts'

const nowNs = BigInt(Date.now()) * 1_000_000n
const options: DecodeOptions = {
	retentionDays: 30,
	workspaceId: 'w',
	oldestNs: 0n,
	newestNs: 2n ** 63n - 1n,
	nowNs,
	maxRowsBytes: 2 ** 26,
}

const timeUnixNano = String(nowNs)
const text = fc.string({ unit: 'grapheme', maxLength: 60 })
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const value = fc.oneof(
	text.map((stringValue) => ({ stringValue })),
	int64.map((intValue) => ({ intValue })),
	double.map((doubleValue) => ({ doubleValue })),
	fc.boolean().map((boolValue) => ({ boolValue })),
	fc.uint8Array({ maxLength: 9 }).map((bytes) => ({ bytesValue: Buffer.from(bytes).toString('base64') })),
	fc.constant({}),
	text.map((stringValue) => ({ arrayValue: { values: [{ stringValue }, {}] } })),
	text.map((key) => ({ kvlistValue: { values: [{ key, value: { intValue: '1' } }] } })),
)
const attributes = fc.array(fc.record({ key: fc.oneof(text, fc.constantFrom('', '__proto__')), value }), {
	maxLength: 4,
})
const shared = { resource: fc.record({ attributes }), schemaUrl: text }
const scope = fc.record({ name: text, version: text, attributes })
const wholeInt32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })

const log = fc.record({
	timeUnixNano: fc.oneof(fc.constant(timeUnixNano), uint64),
	observedTimeUnixNano: uint64,
	severityNumber: uint32,
	severityText: text,
	body: value,
	attributes,
	flags: uint32,
	traceId: fc.constantFrom('', 'ab', 'ab'.repeat(16)),
	eventName: text,
})
const logs = fc.record({
	resourceLogs: fc.array(
		fc.record({
			...shared,
			scopeLogs: fc.array(fc.record({ scope, logRecords: fc.array(log, { maxLength: 3 }) }), {
				maxLength: 2,
			}),
		}),
		{ maxLength: 2 },
	),
})
const times = {
	timeUnixNano: fc.constant(timeUnixNano),
	startTimeUnixNano: uint64,
	attributes,
	flags: uint32,
}
const exemplars = fc.array(
	fc.record({ timeUnixNano: uint64, asInt: int64, filteredAttributes: attributes }),
	{ maxLength: 2 },
)
const points = <T>(point: fc.Arbitrary<T>) =>
	fc.record({ dataPoints: fc.array(point, { maxLength: 3 }), aggregationTemporality: fc.nat(3) })
const buckets = fc.record({ offset: wholeInt32, bucketCounts: fc.array(uint64, { maxLength: 4 }) })
const figures = { count: uint64, sum: double, min: double, max: double, exemplars }
const data = fc.oneof(
	points(fc.record({ ...times, asInt: int64, exemplars })).map((gauge) => ({ gauge })),
	points(fc.record({ ...times, asDouble: double })).map((sum) => ({ sum: { ...sum, isMonotonic: true } })),
	points(
		fc.record({ ...times, ...figures, bucketCounts: fc.array(uint64), explicitBounds: fc.array(double) }),
	).map((histogram) => ({ histogram })),
	points(
		fc.record({
			...times,
			...figures,
			scale: wholeInt32,
			zeroCount: uint64,
			positive: buckets,
			negative: buckets,
		}),
	).map((exponentialHistogram) => ({ exponentialHistogram })),
	points(
		fc.record({
			...times,
			count: uint64,
			sum: double,
			quantileValues: fc.array(fc.record({ quantile: double, value: double })),
		}),
	).map((summary) => ({ summary })),
)
const metric = fc
	.tuple(fc.record({ name: text, unit: text, metadata: attributes }), data)
	.map((parts) => Object.assign({}, ...parts))
const metrics = fc.record({
	resourceMetrics: fc.array(
		fc.record({
			...shared,
			scopeMetrics: fc.array(fc.record({ scope, metrics: fc.array(metric, { maxLength: 2 }) }), {
				maxLength: 2,
			}),
		}),
		{ maxLength: 2 },
	),
})

const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom('set', 'cut', 'insert')), {
	maxLength: 6,
})

function damage(bytes: Buffer, [at, byte, how]: [number, number, string]): Buffer {
	const position = bytes.length === 0 ? 0 : at % bytes.length
	const rest = bytes.subarray(how === 'insert' ? position : position + 1)
	return Buffer.concat([bytes.subarray(0, position), Buffer.from(how === 'cut' ? [] : [byte]), rest])
}

const kinds = {
	logs: { requests: logs, fromJson: transcodeLogsJson, fromProtobuf: transcodeLogsProtobuf },
	metrics: { requests: metrics, fromJson: transcodeMetricsJson, fromProtobuf: transcodeMetricsProtobuf },
} as const
const signals = ['logs', 'metrics'] as const

test.each(signals)('%s produce the same rows from both encodings, packed or not', (signal) => {
	const { requests, fromJson, fromProtobuf } = kinds[signal]
	fc.assert(
		fc.property(requests as fc.Arbitrary<object>, fc.boolean(), (request, packed) => {
			const one = fromJson(Buffer.from(JSON.stringify(request)), options)
			const other = fromProtobuf(encodeMessage(signal, request, packed), options)
			expect([other.count, other.rejections]).toEqual([one.count, one.rejections])
			expect(other.rows.equals(one.rows)).toBe(true)
		}),
		{ numRuns: randomCases(1000) },
	)
})

const isLong = process.env.LONG_TESTS !== undefined
const runs = isLong ? 900 : 300
/** The inputs are 17 MB and more, a third of it in the short form; growth of 0.2 to 0.7 MB was measured. */
const flatBytes = (isLong ? 4 : 2) * 2 ** 20

test.each(signals)('any bytes sent as %s produce rows or a refusal, and memory does not grow', (signal) => {
	const { requests, fromJson, fromProtobuf } = kinds[signal]
	let tried = 0
	const attempt = (transcode: typeof fromJson, body: Buffer) => {
		tried++
		try {
			transcode(body, options)
		} catch (error) {
			if (!(error instanceof Malformed || error instanceof Rejected)) throw error
		}
	}
	const anyBytes = fc.property(
		requests as fc.Arbitrary<object>,
		fc.array(changes, { minLength: 12, maxLength: 12 }),
		fc.uint8Array({ maxLength: 300 }),
		(request, damages, noise) => {
			const [json, protobuf] = [Buffer.from(JSON.stringify(request)), encodeMessage(signal, request)]
			for (const each of damages) {
				attempt(fromJson, each.reduce(damage, json))
				attempt(fromProtobuf, each.reduce(damage, protobuf))
			}
			attempt(fromJson, Buffer.from(noise))
			attempt(fromProtobuf, Buffer.from(noise))
		},
	)
	// A first run fills what is kept for good: caches and compiled code.
	fc.assert(anyBytes, { numRuns: 100 })
	const before = settledMemory()
	fc.assert(anyBytes, { numRuns: runs })
	expect(settledMemory() - before).toBeLessThan(flatBytes)
	expect(tried).toBeGreaterThanOrEqual(25 * (100 + runs))
})

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

test.each(signals)(
	'the engine accepts what is acknowledged of %s',
	async (signal) => {
		await fc.assert(
			fc.asyncProperty(kinds[signal].requests as fc.Arbitrary<object>, changes, async (request, damages) => {
				const whole = encodeMessage(signal, request)
				// Most damaged requests are refused, so each is sent undamaged as well.
				for (const body of [whole, damages.slice(3).reduce(damage, whole)]) {
					const response = await fetch(`${server.url}/v1/${signal}`, {
						method: 'POST',
						headers: { 'content-type': 'application/x-protobuf', authorization: 'ingest fuzz' },
						body,
					})
					await response.arrayBuffer()
					expect([200, 400]).toContain(response.status)
				}
			}),
			{ numRuns: isLong ? 200 : 120 },
		)
		await server.stored()
		const stats = server.recorder.stats()
		expect(stats.storedRows).toBeGreaterThan(20)
		expect(stats).toMatchObject({ quarantinedRows: 0, damagedRows: 0, acknowledgedRows: stats.storedRows })
	},
	60_000,
)
