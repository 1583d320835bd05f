import { expectSuccess, post } from './http-client.ts'
import { encode, everyValue, newBody, newSpan, nowNs, requestOf } from './requests.ts'
import {
	type Case,
	type Encoding,
	encodings,
	expectThat,
	type Signal,
	signals,
	type Target,
} from './target.ts'

const mapping = 'OTLP JSON Protobuf Encoding'

function taken(
	id: string,
	rule: string,
	reference: string,
	signal: Signal,
	encoding: Encoding,
	newItems: () => object[],
): Case {
	return {
		id,
		rule,
		reference,
		level: 'MUST',
		transport: 'http',
		run: async (target: Target) =>
			expectSuccess(
				await post(target, signal, encoding, encode(signal, encoding, requestOf(signal, newItems()))),
				encoding,
			),
	}
}

const point = (fields: object) => ({
	timeUnixNano: nowNs(),
	startTimeUnixNano: nowNs(),
	attributes: everyValue,
	...fields,
})
const exemplars = [
	{
		timeUnixNano: nowNs(),
		asDouble: 0.5,
		traceId: 'ab'.repeat(16),
		spanId: 'cd'.repeat(8),
		filteredAttributes: everyValue,
	},
	{ timeUnixNano: nowNs(), asInt: '-1' },
]
const metrics = {
	gauge: () => ({ gauge: { dataPoints: [point({ asInt: '-9223372036854775808' }), point({ flags: 1 })] } }),
	sum: () => ({
		sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints: [point({ asDouble: 1.5, exemplars })] },
	}),
	histogram: () => ({
		histogram: {
			aggregationTemporality: 2,
			dataPoints: [
				point({
					count: '3',
					sum: 4,
					min: 1,
					max: 2,
					bucketCounts: ['1', '2'],
					explicitBounds: [0.5],
					exemplars,
				}),
				point({ count: '0' }),
			],
		},
	}),
	exponentialHistogram: () => ({
		exponentialHistogram: {
			aggregationTemporality: 2,
			dataPoints: [
				point({
					count: '6',
					scale: -3,
					zeroCount: '1',
					zeroThreshold: 0.1,
					positive: { offset: -2, bucketCounts: ['1', '300'] },
					negative: { offset: 4, bucketCounts: ['2'] },
					exemplars,
				}),
			],
		},
	}),
	summary: () => ({
		summary: { dataPoints: [point({ count: '2', sum: 3, quantileValues: [{ quantile: 0.99, value: 2 }] })] },
	}),
}

function valuesOf(encoding: Encoding): Case[] {
	return [
		...signals.map((signal) =>
			taken(
				`values/${signal}/${encoding}/attributes`,
				'accepts attributes of every type: empty, bytes, nested lists and maps',
				'OTLP 1.9 AnyValue',
				signal,
				encoding,
				() => [itemWith(signal, { attributes: everyValue })],
			),
		),
		...everyValue.map(({ key, value }) =>
			taken(
				`values/logs/${encoding}/body-${key}`,
				`accepts a log record with a body of type ${key}`,
				'Logs Data Model, Body',
				'logs',
				encoding,
				() => [itemWith('logs', { body: value })],
			),
		),
		...Object.entries(metrics).map(([kind, newMetric]) =>
			taken(
				`values/metrics/${encoding}/${kind}`,
				`accepts metrics of the kind ${kind}`,
				'Metrics Data Model',
				'metrics',
				encoding,
				() => [{ name: kind, unit: 's', description: 'd', ...newMetric() }],
			),
		),
		taken(
			`values/traces/${encoding}/span`,
			'accepts spans with events, links, states and flags',
			'opentelemetry/proto/trace/v1',
			'traces',
			encoding,
			() => [
				newSpan({
					parentSpanId: 'ab'.repeat(8),
					traceState: 'a=b',
					flags: 0x301,
					status: { code: 2, message: 'm' },
					events: [{ timeUnixNano: nowNs(), name: 'e', attributes: everyValue }],
					links: [{ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), attributes: everyValue }],
				}),
			],
		),
	]
}

function itemWith(signal: Signal, fields: object): object {
	if (signal === 'traces') return newSpan(fields)
	if (signal === 'logs') return { timeUnixNano: nowNs(), ...fields }
	return { name: 'm', gauge: { dataPoints: [{ timeUnixNano: nowNs(), asInt: 1, ...fields }] } }
}

const json: Case[] = [
	taken(
		'json/upper-case-ids',
		'reads ids in upper-case and lower-case hex',
		mapping,
		'traces',
		'json',
		() => [newSpan({ traceId: 'ABCDEF0123456789'.repeat(2), parentSpanId: 'ABCDEF0123456789' })],
	),
	taken(
		'json/integers',
		'reads 64-bit integers from numbers and from text',
		`${mapping}; proto3 JSON`,
		'traces',
		'json',
		() => [
			newSpan({
				startTimeUnixNano: Date.now() * 1_000_000,
				attributes: [{ key: 'n', value: { intValue: 42 } }],
			}),
			newSpan({ attributes: [{ key: 'n', value: { intValue: '42' } }] }),
		],
	),
	taken('json/null', 'treats null as an absent field', 'proto3 JSON', 'traces', 'json', () => [
		newSpan({ attributes: null, events: null, status: null, traceState: null, parentSpanId: null }),
	]),
	taken('json/enum-numbers', 'reads enums from numbers', mapping, 'logs', 'json', () => [
		{ timeUnixNano: nowNs(), severityNumber: 17 },
	]),
	taken('json/doubles', 'reads NaN and the infinities from text', 'proto3 JSON', 'metrics', 'json', () => [
		{
			name: 'm',
			gauge: {
				dataPoints: ['NaN', 'Infinity', '-Infinity'].map((asDouble) => ({ timeUnixNano: nowNs(), asDouble })),
			},
		},
	]),
]

const wrongSignal: Case = {
	id: 'http/wrong-signal',
	rule: 'does not accept logs as spans at the path of traces',
	reference: 'OTLP/HTTP Request',
	level: 'SHOULD',
	transport: 'http',
	run: async (target) => {
		const answer = await post(
			target,
			'traces',
			'protobuf',
			newBody('logs', 'protobuf', { traceId: 'ab'.repeat(16) }),
		)
		expectThat(answer.status === 400 || answer.body.length > 0, 'it was taken without a word')
	},
}

export const valueCases: readonly Case[] = [...encodings.flatMap(valuesOf), ...json, wrongSignal]
