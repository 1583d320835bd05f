import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTelemetryServer, type TelemetryServer } from './testing.ts'

let server: TelemetryServer
/** The second server stores nothing while a test runs. */
let waiting: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
	waiting = await startTelemetryServer({ batchDelayMs: 600_000 })
})
afterAll(async () => {
	await server.close()
	await waiting.close()
})

const nowNs = () => String(BigInt(Date.now()) * 1_000_000n)
const text = (key: string, value: string) => ({ key, value: { stringValue: value } })
const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')

/** OTLP in JSON, one body per request. */
const bodies = {
	traces: (traceId: string, ids: readonly number[], attributes = [text('shop', 'north')]) => ({
		resourceSpans: [
			{
				resource: { attributes: [text('service.name', 'till')] },
				scopeSpans: [
					{
						spans: ids.map((id) => ({
							...{ traceId, spanId: hex(id, 16), name: `n${id}`, attributes },
							...{ startTimeUnixNano: nowNs(), endTimeUnixNano: nowNs() },
						})),
					},
				],
			},
		],
	}),
	logs: (body: string) => ({
		resourceLogs: [{ scopeLogs: [{ logRecords: [{ timeUnixNano: nowNs(), body: { stringValue: body } }] }] }],
	}),
	metrics: (name: string) => ({
		resourceMetrics: [
			{
				scopeMetrics: [
					{ metrics: [{ name, gauge: { dataPoints: [{ timeUnixNano: nowNs(), asInt: '7' }] } }] },
				],
			},
		],
	}),
}

async function send(to: TelemetryServer, signal: keyof typeof bodies, workspace: string, body: unknown) {
	const headers = { authorization: `ingest ${workspace}`, 'content-type': 'application/json' }
	const answer = await fetch(`${to.url}/v1/${signal}`, {
		method: 'POST',
		headers,
		body: JSON.stringify(body),
	})
	expect(answer.status).toBe(200)
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
async function get(from: TelemetryServer, path: string, workspace: string): Promise<any> {
	const response = await fetch(`${from.url}/v1/telemetry${path}`, {
		headers: { authorization: `key ${workspace}` },
	})
	expect(response.status, await response.clone().text()).toBe(200)
	return response.json()
}

const idsOf = (body: { spans: { span_id: string }[] }) => body.spans.map(({ span_id }) => span_id).sort()

test('acknowledged rows are in every list at once, although the store has none of them', async () => {
	const trace = 'ab'.repeat(16)
	await send(waiting, 'traces', 'w', bodies.traces(trace, [1, 2]))
	await send(waiting, 'traces', 'w', bodies.traces(trace, [3], [text('shop', 'south')]))
	await send(waiting, 'traces', 'other', bodies.traces(trace, [9]))
	await send(waiting, 'logs', 'w', bodies.logs('the till is open'))
	await send(waiting, 'metrics', 'w', bodies.metrics('till.open'))
	expect(await waiting.store.query('SELECT 1 FROM spans')).toEqual([])
	expect(idsOf(await get(waiting, `/traces/${trace}`, 'w'))).toEqual([1, 2, 3].map((id) => hex(id, 16)))
	expect(idsOf(await get(waiting, '/spans', 'w'))).toHaveLength(3)
	expect(idsOf(await get(waiting, '/spans?attribute=shop%3Dsouth', 'w'))).toEqual([hex(3, 16)])
	expect(idsOf(await get(waiting, '/spans?service=none', 'w'))).toEqual([])
	expect((await get(waiting, '/traces', 'w')).traces).toMatchObject([
		{ trace_id: trace, spans: 3, services: ['till'] },
	])
	expect((await get(waiting, '/resources', 'w')).resources).toMatchObject([
		{ service_name: null, spans: 0, log_records: 1, data_points: 1 },
		{ service_name: 'till', spans: 3, log_records: 0, data_points: 0 },
	])
	expect(idsOf(await get(waiting, '/spans', 'nobody'))).toEqual([])
}, 60_000)

test('for a query on certain traces, only what contains them is read from the log', async () => {
	const [trace, other] = ['12'.repeat(16), '34'.repeat(16)]
	await send(waiting, 'traces', 'traces', bodies.traces(trace, [1, 2]))
	await send(waiting, 'traces', 'traces', bodies.traces(other, [3]))
	const newestOf = async (traces: string[]) => {
		const found = await waiting.recorder.newest('spans', 'traces', traces)
		if (typeof found === 'string') return found
		const rows = await Promise.all(
			found.files.map(({ path, structure }) =>
				waiting.store.query<{ span: string }>(
					`SELECT lower(hex(span_id)) AS span FROM file('${path}', 'Native', '${structure.replaceAll("'", "\\'")}')`,
				),
			),
		)
		found.release()
		return rows.flat().map(({ span }) => Number.parseInt(span, 16))
	}
	expect((await newestOf([trace])) as number[]).toEqual([1, 2])
	expect((await newestOf([other, trace])) as number[]).toEqual([1, 2, 3])
	// Bytes that occur in the data, but not as an id.
	expect(await newestOf(['1212121212121234'.repeat(2), '56'.repeat(16)])).toBe('none')
	expect(idsOf(await get(waiting, `/traces/${other}`, 'traces'))).toEqual([hex(3, 16)])
}, 60_000)

test('queries on stored rows return the same as before', async () => {
	const trace = 'cd'.repeat(16)
	const attributes = [text('shop', "it's \\ here"), { key: 'n', value: { intValue: '5' } }]
	await send(waiting, 'traces', 'same', bodies.traces(trace, [1, 2, 3], attributes as never))
	const before = await get(waiting, `/traces/${trace}`, 'same')
	waiting.recorder.storeSoon()
	await waiting.stored()
	expect(await get(waiting, `/traces/${trace}`, 'same')).toEqual(before)
	expect(before.spans[0].attributes).toMatchObject({ shop: "it's \\ here", n: 5 })
}, 60_000)

test('logs and metrics are found at once', async () => {
	await send(waiting, 'logs', 'signals', bodies.logs('the till is open'))
	await send(waiting, 'metrics', 'signals', bodies.metrics('till.open'))
	expect((await get(waiting, '/logs', 'signals')).logs).toMatchObject([{ body: 'the till is open' }])
	expect((await get(waiting, '/metrics', 'signals')).metrics).toMatchObject([{ name: 'till.open' }])
}, 60_000)

test('while batch after batch is stored, each span is found exactly once from its acknowledgement on', async () => {
	const trace = 'ef'.repeat(16)
	const rounds = process.env.LONG_TESTS ? 60 : 8
	let acknowledged = 0
	let isOver = false
	const sending = (async () => {
		// All of them fit on one page.
		for (let id = 1; !isOver && id < 1000; id++) {
			await send(server, 'traces', 'busy', bodies.traces(trace, [id]))
			acknowledged = id
		}
	})()
	try {
		// A trace without acknowledged spans may not exist yet.
		await expect.poll(() => acknowledged, { timeout: 10_000 }).toBeGreaterThan(0)
		for (let round = 0; round < rounds || acknowledged <= 20; round++) {
			const atLeast = acknowledged
			const { spans, next_cursor } = await get(server, `/traces/${trace}?limit=1000`, 'busy')
			const found = spans.map(({ span_id }: { span_id: string }) => Number.parseInt(span_id, 16))
			expect(next_cursor).toBeNull()
			expect(new Set(found).size).toBe(found.length)
			expect(found.length).toBeGreaterThanOrEqual(Math.min(atLeast, 1000))
			if (atLeast > 900) break
		}
	} finally {
		isOver = true
		await sending
	}
	expect(acknowledged).toBeGreaterThan(20)
}, 120_000)
