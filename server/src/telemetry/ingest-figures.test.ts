import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMetrics } from '../platform/health/metrics.ts'
import { type Processes, singleProcess } from '../platform/processes/processes.ts'
import { ingestFigures, openIngestState } from './ingest-figures.ts'
import { IngestCounts } from './otlp/ingest-counts.ts'
import { startTelemetryServer, type TelemetryServer } from './testing.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer({ bodyLimitBytes: 100_000 })
})
afterAll(() => server.close())

const nowNs = String(BigInt(Date.now()) * 1_000_000n)
const span = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), name: 'n', startTimeUnixNano: nowNs }
const spans = (...all: object[]) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: all }] }] })

async function send(body: string, { signal = 'traces', credential = 'ingest w1' } = {}): Promise<number> {
	const headers = { authorization: credential, 'content-type': 'application/json' }
	return (await fetch(`${server.url}/v1/${signal}`, { method: 'POST', headers, body })).status
}

test('what arrives is accepted, repeated, dropped or refused, each with its reason, in the API and as metrics', async () => {
	const body = spans(span, { ...span, traceId: '' }, { ...span, spanId: '00' }, { ...span, traceId: '' })
	expect([await send(body), await send(body)]).toEqual([200, 200])
	const logs = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [{}, {}] }] }] })
	expect(await send(logs, { signal: 'logs' })).toBe(200)
	expect(await send('{')).toBe(400)
	expect(await send(`{"x":"${'x'.repeat(100_000)}"}`)).toBe(413)
	expect(await send('{}', { credential: 'nobody' })).toBe(401)
	expect(await send('{}', { credential: 'nobody' })).toBe(401)
	const answer = await fetch(`${server.url}/v1/instance/recorder`, {
		headers: { authorization: 'operator w1' },
	})
	expect(await answer.json()).toMatchObject({
		accepted: { traces: 1, metrics: 0, logs: 2 },
		repeated: { traces: 1, metrics: 0, logs: 0 },
		dropped: [
			{ signal: 'traces', reason: 'trace_id is missing or not 16 bytes', items: 4 },
			{ signal: 'traces', reason: 'span_id is missing or not 8 bytes', items: 2 },
		],
		refused: [
			{ reason: 'invalid_request', requests: 1 },
			{ reason: 'body_too_large', requests: 1 },
			{ reason: 'unauthenticated', requests: 2 },
		],
	})
})

function counted(): IngestCounts {
	const counts = new IngestCounts()
	counts.accept('metrics', 5, true)
	counts.drop('traces', { 'say "why"': 2 })
	counts.refuse('recorder_full')
	return counts
}

test('metrics have a line for each signal and reason', async () => {
	const metrics = createMetrics()
	metrics.add(ingestFigures(counted()))
	const { text } = await metrics.render()
	expect(text.split('\n').filter((line) => line.startsWith('signalbox_telemetry'))).toEqual([
		'signalbox_telemetry_accepted_items{signal="traces"} 0',
		'signalbox_telemetry_accepted_items{signal="metrics"} 5',
		'signalbox_telemetry_accepted_items{signal="logs"} 0',
		'signalbox_telemetry_accepted_items_total{signal="traces"} 0',
		'signalbox_telemetry_accepted_items_total{signal="metrics"} 5',
		'signalbox_telemetry_accepted_items_total{signal="logs"} 0',
		'signalbox_telemetry_repeated_items{signal="traces"} 0',
		'signalbox_telemetry_repeated_items{signal="metrics"} 0',
		'signalbox_telemetry_repeated_items{signal="logs"} 0',
		'signalbox_telemetry_repeated_items_total{signal="traces"} 0',
		'signalbox_telemetry_repeated_items_total{signal="metrics"} 0',
		'signalbox_telemetry_repeated_items_total{signal="logs"} 0',
		'signalbox_telemetry_dropped_items{signal="traces",reason="say \\"why\\""} 2',
		'signalbox_telemetry_dropped_items_total{signal="traces",reason="say \\"why\\""} 2',
		'signalbox_telemetry_refused_requests{reason="recorder_full"} 1',
		'signalbox_telemetry_refused_requests_total{reason="recorder_full"} 1',
	])
})

test('a program with workers reports the sum of all its processes', async () => {
	const answers = new Map<string, Parameters<Processes['answer']>[1]>()
	const worker = { counts: counted(), eventLoop: { recentMs: () => 70 } }
	openIngestState(worker, { ...singleProcess, answer: (name, answer) => void answers.set(name, answer) })
	const processes: Processes = {
		...singleProcess,
		others: () => [1],
		ask: async (to, name) => answers.get(name)?.(undefined, to) as never,
	}
	const stateOfAll = openIngestState({ counts: counted(), eventLoop: { recentMs: () => 30 } }, processes)
	expect(await stateOfAll()).toMatchObject({
		stallMs: 70,
		accepted: { metrics: 10 },
		dropped: [{ signal: 'traces', reason: 'say "why"', items: 4 }],
		refused: [{ reason: 'recorder_full', requests: 2 }],
	})
})

test('new reasons beyond a limit are counted as "other", and none is lost', () => {
	const counts = new IngestCounts()
	for (let at = 0; at < 500; at++) counts.drop('logs', { [`reason ${at}`]: 1 })
	const { dropped } = counts.figures()
	expect(dropped).toHaveLength(201)
	expect(dropped.at(-1)).toEqual({ signal: 'logs', reason: 'other', items: 300 })
})
