import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomCases } from '../../platform/random-cases.testing.ts'
import { decodeSpanBlock } from '../blocks/span-block.ts'
import { decodeOptions, encodeRequest, requests } from '../otlp/testing/requests.ts'
import { transcodeJson } from '../otlp/transcode-json.ts'
import { transcodeProtobuf } from '../otlp/transcode-protobuf.ts'
import {
	at,
	bounds,
	callsTo,
	exemplars,
	gauge,
	int,
	logsOf,
	metricsOf,
	spansOf,
	text,
} from '../reads/stage.testing.ts'
import { newSpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { toTraceRequest } from './otlp-items.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

const { send, get } = callsTo(() => server)

describe('an export', () => {
	test('in OTLP can be imported, and produces the same telemetry', async () => {
		await send(
			'from',
			'traces',
			spansOf('svc', ['a', 'root', '', 0, [int('n', 5)]], ['a', 'in', 'a0'.padEnd(16, 'f'), 1]),
		)
		await send('from', 'logs', logsOf('svc', 'hello', 'there'))
		for (const [signal, list] of [
			['traces', 'spans'],
			['logs', 'logs'],
		] as const) {
			const exported = await get('from', `/${list}/export?format=otlp`)
			expect(exported.headers.get('content-disposition')).toBe(`attachment; filename="${list}.otlp.jsonl"`)
			expect(exported.text).toContain('"droppedAttributesCount":3')
			expect(exported.text).toContain('"droppedAttributesCount":4')
			for (const line of exported.text.trimEnd().split('\n')) await send('to', signal, line)
			expect((await get('to', `/${list}/export?format=otlp`)).text).toBe(exported.text)
			const [from, to] = [await get('from', `/${list}`), await get('to', `/${list}`)]
			expect(from.json()[list]).toHaveLength(2)
			expect(to.json()[list]).toEqual(from.json()[list])
		}
	})

	test('of any spans can be imported, and produces the same rows', () => {
		fc.assert(
			fc.property(requests, (request) => {
				const rows = decodeSpanBlock(transcodeProtobuf(encodeRequest(request), decodeOptions).rows)
				const exported = Buffer.from(JSON.stringify(toTraceRequest(rows)))
				const { rows: again, rejections } = transcodeJson(exported, decodeOptions)
				expect(rejections).toEqual({})
				expect(decodeSpanBlock(again)).toEqual(rows)
			}),
			{ numRuns: randomCases(800) },
		)
	})

	test('has the attributes that a sender has given the names of our counts', () => {
		for (const value of [Object.assign(Object.create(null), { a: 1n }), ['x'], 'x', -1n, 2n ** 32n, 3n]) {
			const resource = new Map([['otel.resource.dropped_attributes_count', value]])
			const ids = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }
			const row = newSpanRow({
				...{ workspaceId: 'own', ...ids, name: 'n', source: 'otlp', kind: 'other', startNs: 1n, resource },
			})
			const exported = Buffer.from(JSON.stringify(toTraceRequest([row])))
			const [again] = decodeSpanBlock(transcodeJson(exported, decodeOptions).rows)
			expect(again?.resource).toEqual(resource)
		}
	})

	test('of our own calls in OTLP has each key once, and is mapped correctly when it is imported again', async () => {
		const tokens = { inputTokens: 400, cacheReadTokens: 300, cacheWriteTokens: 200, outputTokens: 30 }
		const row = newSpanRow({
			...{ workspaceId: 'own', traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), name: 'chat gpt-5.6-sol' },
			...{ source: 'model_proxy', kind: 'model_call', startNs: BigInt(at(0)), status: 'error' },
			...{ provider: 'openai', modelRequested: 'gpt-5.6-sol', model: 'gpt-5.6-sol-2026-10-01' },
			...{ ...tokens, reasoningTokens: 20, usageSource: 'reported', costNanoUsd: 5_000n },
			...{ agentName: 'Robo', sessionId: 's1', userId: 'jane', client: 'claude-code/2.1' },
			...{ errorType: 'overloaded', httpStatus: 503, timeToFirstTokenNs: 250_000_000n },
			attributes: new Map([
				['error.type', 'overloaded'],
				['gen_ai.operation.name', 'chat'],
				['gen_ai.provider.name', 'openai'],
			]),
		})
		await server.recorder.append({ workspaceId: 'own', count: 1, bytes: encodeSpanRow(row) })
		await server.stored()
		const csv = (await get('own', '/spans/export?format=csv')).text
		expect(csv).toContain('"cost_nano_usd","cost_usd","http_status"')
		expect(csv).toContain(',"5000","0.000005",')
		const exported = (await get('own', '/spans/export?format=otlp')).text.trimEnd()
		const [span] = JSON.parse(exported).resourceSpans[0].scopeSpans[0].spans
		const keys = span.attributes.map(({ key }: { key: string }) => key)
		expect(new Set(keys).size).toBe(keys.length)
		await send('own-to', 'traces', exported)
		const [before] = (await get('own', '/spans')).json().spans
		const [after] = (await get('own-to', '/spans')).json().spans
		expect(after).toMatchObject({ source: 'otlp', cost_source: 'reported', dialect: 'gen_ai' })
		for (const name of [
			'kind',
			'status',
			'error_type',
			'session_id',
			'user_id',
			'client',
			'provider',
			'model',
		])
			expect([name, after[name]]).toEqual([name, before[name]])
		for (const name of [
			'model_requested',
			'tokens',
			'cost_nano_usd',
			'time_to_first_token_ms',
			'http_status',
		])
			expect([name, after[name]]).toEqual([name, before[name]])
	})

	test('of data points of every kind in OTLP can be imported, and produces the same points', async () => {
		const exponential = { scale: 2, zeroCount: '1', count: '4', sum: 9, zeroThreshold: 0.001 }
		const buckets = {
			positive: { offset: -1, bucketCounts: ['1', '2'] },
			negative: { offset: 3, bucketCounts: [] },
		}
		const time = { timeUnixNano: at(6), startTimeUnixNano: at(0) }
		const of = (name: string, kind: string, point: object, more: object = {}) => ({
			...{ name, unit: 's', description: 'd', metadata: [text('m', 'x')] },
			[kind]: { dataPoints: [{ ...time, ...point, flags: 1, attributes: [int('n', 1)] }], ...more },
		})
		const all = [
			of('1', 'gauge', { asDouble: 'NaN', exemplars }),
			of('2', 'sum', { asInt: '9007199254740993' }, { isMonotonic: true, aggregationTemporality: 1 }),
			of('3', 'histogram', { ...bounds, exemplars }, { aggregationTemporality: 2 }),
			of('4', 'exponentialHistogram', { ...exponential, ...buckets }, { aggregationTemporality: 1 }),
			of('5', 'summary', { count: '2', sum: '-0', quantileValues: [{ quantile: 0.5, value: 1.5 }] }),
		]
		await send('points', 'metrics', metricsOf('svc', ...all))
		const exported = await get('points', '/metrics/export?format=otlp')
		// The Collector takes a null for a wrong value and refuses the request.
		expect(exported.text).not.toContain(':null')
		for (const line of exported.text.trimEnd().split('\n')) await send('points-to', 'metrics', line)
		expect((await get('points-to', '/metrics/export?format=otlp')).text).toBe(exported.text)
		const [request] = exported.text.split('\n').map((line) => JSON.parse(line || '{}'))
		const [first] = request.resourceMetrics
		expect([
			first.resource.droppedAttributesCount,
			first.scopeMetrics[0].scope.droppedAttributesCount,
		]).toEqual([2, 1])
		const lines = (await get('points', '/metrics/export')).text
			.trimEnd()
			.split('\n')
			.map((line) => JSON.parse(line))
		expect(lines).toMatchObject([
			{ metric: '1', kind: 'gauge', value: 'NaN', count: null, exemplars: [{ asDouble: 2 }] },
			{ metric: '2', kind: 'sum', value: '9007199254740993', is_monotonic: true, temporality: 'delta' },
			{ metric: '3', kind: 'histogram', value: null, count: '3', min: 0.5, bucket_counts: ['1', '2', '0'] },
			{ metric: '4', exponential: { scale: 2, positive: { offset: -1, bucket_counts: ['1', '2'] } } },
			{
				metric: '5',
				kind: 'summary',
				sum: '-0',
				quantiles: [{ quantile: 0.5, value: 1.5 }],
				attributes: { n: 1 },
			},
		])
		const csv = (await get('points', '/metrics/export?format=csv&metric=3')).text.trimEnd().split('\r\n')
		expect(csv).toHaveLength(2)
		expect(csv[1]).toContain('"histogram"')
	})

	test('of data points is complete over several batches, ordered by metric and then by time', async () => {
		const many = Array.from({ length: 1203 }, (_, index) => ({
			timeUnixNano: at(index / 10),
			asInt: String(index),
		}))
		await send('many-points', 'metrics', metricsOf('svc', gauge('m', many), gauge('k', many.slice(0, 2))))
		const values = (text: string) =>
			text
				.trimEnd()
				.split('\n')
				.map((line) => JSON.parse(line))
				.map(({ metric, value }) => `${metric}${value}`)
		expect(values((await get('many-points', '/metrics/export')).text)).toEqual([
			...['k0', 'k1'],
			...many.map(({ asInt }) => `m${asInt}`),
		])
		expect(values((await get('many-points', '/metrics/export?metric=m&limit=700')).text)).toHaveLength(700)
	})

	test('in JSON lines has the same content as the list, as many rows as requested, over several batches', async () => {
		const many = Array.from({ length: 1203 }, (_, index) => `log ${index}`)
		await send('many', 'logs', logsOf('svc', ...many))
		const lines = (await get('many', '/logs/export')).text.trimEnd().split('\n')
		expect(lines.map((line) => JSON.parse(line).body).sort()).toEqual(many.sort())
		const some = (await get('many', '/logs/export?limit=700&attribute=n%3C1000')).text.trimEnd().split('\n')
		expect(some).toHaveLength(700)
		const { logs } = (await get('many', '/logs?limit=1')).json()
		expect(JSON.parse(lines[0] as string)).toEqual(logs[0])
	})

	test('in CSV has no cell that a spreadsheet would execute', async () => {
		await send('csv', 'traces', spansOf('=cmd|calc', ['a', '=1+1', '', 0]))
		const [head, row] = (await get('csv', '/spans/export?format=csv')).text.split('\r\n')
		expect(head).toMatch(/^"started_at","trace_id",/)
		expect(row).toContain(`"'=1+1"`)
		expect(row).toContain(`"'=cmd|calc"`)
	})

	test('refuses unknown parameters, and is empty for another workspace', async () => {
		expect((await get('csv', '/spans/export?format=xml')).status).toBe(400)
		expect((await get('csv', '/spans/export?colour=red')).status).toBe(400)
		for (const list of ['spans', 'logs', 'metrics'])
			expect((await get('nobody', `/${list}/export`)).text).toBe('')
	})
})
