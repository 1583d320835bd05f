import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateTelemetryStore } from '../../platform/clickhouse/migrate.ts'
import { startTestStore } from '../../platform/clickhouse/testing.ts'
import { telemetryMigrations } from '../migrations.ts'
import { spanColumnNames } from '../span-columns.ts'
import { newSpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'
import {
	type ArrivalFilter,
	type ArrivalSignal,
	type Arrivals,
	encodeArrivals,
	readArrivals,
	settledMs,
	signalsWithArrivals,
} from './read-arrivals.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

const nowNs = BigInt(Date.now()) * 1_000_000n
const timeUnixNano = String(nowNs)
const times = { timeUnixNano, startTimeUnixNano: String(nowNs - 5n) }
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const resource = { attributes: [text('service.name', 'svc'), text('host.name', 'h')] }
const scope = { name: 's', version: '1', attributes: [text('a', 'b')] }
const attributes = [
	text('text', ''),
	{ key: 'int', value: { intValue: String(-(2n ** 63n)) } },
	{ key: 'double', value: { doubleValue: 0 } },
	{ key: 'nan', value: { doubleValue: 'NaN' } },
	{ key: 'bool', value: { boolValue: false } },
	{ key: 'bytes', value: { bytesValue: 'AAECgA==' } },
	{ key: 'empty', value: {} },
	{ key: 'list', value: { arrayValue: { values: [{ intValue: '1' }, {}] } } },
	{ key: 'map', value: { kvlistValue: { values: [text('k', 'v')] } } },
]
const ids = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }

function spansOf(spans: object[]): object {
	return { resourceSpans: [{ resource, schemaUrl: 'r', scopeSpans: [{ scope, schemaUrl: 's', spans }] }] }
}

const aSpan = {
	...{ ...ids, name: 'n', kind: 3, startTimeUnixNano: timeUnixNano, endTimeUnixNano: timeUnixNano },
	...{ attributes, traceState: 'a=b', parentSpanId: 'ef'.repeat(8), flags: 257, droppedAttributesCount: 1 },
	events: [{ timeUnixNano, name: 'e', attributes: [text('k', 'v')], droppedAttributesCount: 2 }],
	links: [{ ...ids, traceState: 'x', attributes: [text('k', 'v')], droppedAttributesCount: 3, flags: 1 }],
	...{ droppedEventsCount: 4, droppedLinksCount: 5, status: { code: 2, message: 'broken' } },
}
const point = { ...times, attributes, flags: 0 }
const exemplars = [{ ...ids, timeUnixNano, asInt: '5', filteredAttributes: [text('e', 'f')] }]
const buckets = { offset: -3, bucketCounts: ['1', '300'] }
const sums = { count: '3', sum: 'NaN', min: -0.5, max: '-Infinity' }
const requests: Record<ArrivalSignal, [path: string, request: object]> = {
	spans: ['/v1/traces', spansOf([aSpan])],
	logs: [
		'/v1/logs',
		{
			resourceLogs: [
				{
					...{ resource, schemaUrl: 'r' },
					scopeLogs: [
						{
							...{ scope, schemaUrl: 's' },
							logRecords: [
								{
									...{ ...ids, timeUnixNano, observedTimeUnixNano: timeUnixNano, severityNumber: 9 },
									...{
										severityText: 'INFO',
										eventName: 'e',
										attributes,
										droppedAttributesCount: 1,
										flags: 1,
									},
									body: { kvlistValue: { values: attributes } },
								},
							],
						},
					],
				},
			],
		},
	],
	metrics: [
		'/v1/metrics',
		{
			resourceMetrics: [
				{
					...{ resource, schemaUrl: 'r' },
					scopeMetrics: [
						{
							...{ scope, schemaUrl: 's' },
							metrics: [
								{
									name: 'g',
									unit: 'By',
									description: 'd',
									gauge: { dataPoints: [{ ...point, asInt: '-1' }] },
								},
								{ name: 'i', gauge: { dataPoints: [{ ...point, asDouble: 'Infinity', exemplars }] } },
								{
									name: 's',
									metadata: [text('m', 'n')],
									sum: {
										aggregationTemporality: 2,
										isMonotonic: true,
										dataPoints: [{ ...point, asDouble: 0 }],
									},
								},
								{
									name: 'h',
									histogram: {
										aggregationTemporality: 1,
										dataPoints: [{ ...point, ...sums, bucketCounts: ['1', '2'], explicitBounds: [1e300] }],
									},
								},
								{
									name: 'e',
									exponentialHistogram: {
										aggregationTemporality: 1,
										dataPoints: [
											{
												...{ ...point, ...sums, scale: -4, zeroCount: '2', zeroThreshold: 0.1, exemplars },
												...{ positive: buckets, negative: buckets },
											},
										],
									},
								},
								{
									name: 'q',
									summary: {
										dataPoints: [
											{ ...point, count: '3', sum: 4.5, quantileValues: [{ quantile: 0.5, value: 1.5 }] },
										],
									},
								},
							],
						},
					],
				},
			],
		},
	],
}

async function send(workspace: string, path: string, type: string, body: string | Buffer): Promise<void> {
	const headers = { authorization: `ingest ${workspace}`, 'content-type': type }
	const response = await fetch(server.url + path, { method: 'POST', headers, body })
	expect([response.status, await response.text()]).toEqual([200, type.endsWith('json') ? '{}' : ''])
}

const sendJson = (workspace: string, path: string, request: object) =>
	send(workspace, path, 'application/json', JSON.stringify(request))

async function rowsOf(workspace: string, signal: ArrivalSignal): Promise<unknown[]> {
	await server.stored()
	return server.store.query(
		`SELECT * EXCEPT (workspace_id, stored_at) FROM ${signal} WHERE workspace_id = {w:String} ORDER BY toString(tuple(*))`,
		{ w: workspace },
	)
}

/** All arrivals, read page by page. */
async function arrivals(
	workspace: string,
	signal: ArrivalSignal,
	{ filter = {}, limit = 1000 }: { filter?: ArrivalFilter; limit?: number } = {},
): Promise<Arrivals['rows'][]> {
	await server.stored()
	const pages: Arrivals['rows'][] = []
	for (let after = { storedMs: 0, hash: '' }; ; ) {
		const upToMs = (await settledMs(server.store)) + 10_000
		const { rows, last } = await readArrivals(server.store, workspace, signal, {
			...{ after, upToMs, filter, limit },
		})
		const due = await signalsWithArrivals(server.store, workspace, { [signal]: after }, upToMs)
		expect(due.has(signal) || !last, `rows after ${JSON.stringify(after)}`).toBe(true)
		if (!last) {
			const behind = await signalsWithArrivals(
				server.store,
				workspace,
				{ [signal]: { ...after, hash: '' } },
				upToMs,
			)
			// Rows that the filter does not select may follow.
			if (Object.keys(filter).length === 0) expect(behind.has(signal)).toBe(false)
			return pages
		}
		pages.push(rows)
		after = last
	}
}

test.each(['spans', 'logs', 'metrics'] as const)('%s are sent on as they were received', async (signal) => {
	const [path, request] = requests[signal]
	await sendJson(`a-${signal}`, path, request)
	const [rows = []] = await arrivals(`a-${signal}`, signal)
	await send(`b-${signal}`, path, 'application/x-protobuf', encodeArrivals(signal, rows))
	const [sent, received] = [await rowsOf(`a-${signal}`, signal), await rowsOf(`b-${signal}`, signal)]
	expect(sent.length).toBeGreaterThan(0)
	expect(received).toEqual(sent)
})

test('pages contain every row once, in the order of storing, however many were stored at the same time', async () => {
	const numbered = (from: number, count: number) =>
		Array.from({ length: count }, (_, i) => ({
			...aSpan,
			spanId: (from + i + 1).toString(16).padStart(16, '0'),
		}))
	await sendJson('pages', '/v1/traces', spansOf(numbered(0, 50)))
	await server.stored()
	await sendJson('pages', '/v1/traces', spansOf(numbered(50, 10)))
	const pages = await arrivals('pages', 'spans', { limit: 7 })
	// A page ends after a second of storing; on a busy machine the last spans come later.
	const lengths = pages.map(({ length }) => length)
	expect(lengths.slice(0, 7)).toEqual([7, 7, 7, 7, 7, 7, 7])
	expect([2, 3]).toContain(lengths.length - 7)
	const numbers = pages
		.flat()
		.map((row) => Number.parseInt((row as unknown as { span_id_hex: string }).span_id_hex, 16))
	expect(numbers.slice(0, 50).sort((a, b) => a - b)).toEqual(numbered(0, 50).map((_, i) => i + 1))
	expect(new Set(numbers).size).toBe(60)
})

test('a filter selects spans by kind, agent, server and attribute', async () => {
	const tool = [text('mcp.method.name', 'tools/call'), text('gen_ai.tool.name', 'search')]
	const spans = [aSpan, { ...aSpan, spanId: '01'.repeat(8), attributes: tool }]
	await sendJson('filtered', '/v1/traces', spansOf(spans))
	const count = async (filter: ArrivalFilter) =>
		(await arrivals('filtered', 'spans', { filter })).flat().length
	expect(await count({})).toBe(2)
	expect(await count({ kinds: ['tool_call', 'model_call'] })).toBe(1)
	expect(await count({ attributes: ['gen_ai.tool.name=search'] })).toBe(1)
	expect(await count({ attributes: ['host.name=h', '!bool'] })).toBe(1)
	expect(await count({ agents: ['nobody'] })).toBe(0)
	expect(await count({ servers: [''] })).toBe(2)
})

test('the watermark waits for a running insert, so that no row appears behind it', async () => {
	const { store } = server
	await store.command('CREATE TABLE slow (s UInt8) ENGINE = Null')
	await store.command(
		"CREATE MATERIALIZED VIEW slowly TO slow AS SELECT sleepEachRow(0.7) AS s FROM spans WHERE workspace_id = 'slow'",
	)
	const inserting = sendJson('slow', '/v1/traces', spansOf([aSpan, { ...aSpan, name: 'm' }]))
	const seen = async () => (await rowsWith("workspace_id = 'slow'"))[0]
	await inserting
	let bound = 0
	let row = await seen()
	for (; !row; row = await seen()) bound = await settledMs(store)
	expect(bound).toBeLessThan(Number(row.stored_ms))
	expect(await settledMs(store)).toBeLessThan(Number(row.stored_ms))
	await server.stored()
	await expect.poll(() => settledMs(store), { timeout: 10_000 }).toBeGreaterThan(Number(row.stored_ms))
	await store.command('DROP VIEW slowly')
})

function rowsWith(condition: string): Promise<{ stored_ms: string }[]> {
	return server.store.query(
		`SELECT toUnixTimestamp64Milli(stored_at) AS stored_ms FROM spans WHERE ${condition} LIMIT 1`,
	)
}

test('rows from before the column existed are never new, merged or not', async () => {
	const { store, close } = await startTestStore()
	const insert = (name: string) => {
		const row = newSpanRow({
			...{ workspaceId: 'w', traceId: ids.traceId, spanId: ids.spanId, source: 'otlp', kind: 'other' },
			...{ name, startNs: nowNs },
		})
		// Without the texts of the ledger and the origin, which are the last columns and empty.
		const columns = spanColumnNames.filter((column) => column !== 'ledger' && column !== 'origin')
		const rows = encodeSpanRow(row).subarray(0, -2)
		return store.insertRowBinary({ table: 'spans', columns, rows, deduplicationToken: name })
	}
	await migrateTelemetryStore(store, telemetryMigrations.slice(0, 7))
	await insert('old')
	await insert('older')
	await migrateTelemetryStore(store, telemetryMigrations)
	await insert('new')
	await store.command('OPTIMIZE TABLE spans FINAL')
	const found = await store.query('SELECT name, stored_at > now() - 3600 AS fresh FROM spans ORDER BY name')
	expect(found).toEqual([
		{ name: 'new', fresh: 1 },
		{ name: 'old', fresh: 0 },
		{ name: 'older', fresh: 0 },
	])
	await close()
})
