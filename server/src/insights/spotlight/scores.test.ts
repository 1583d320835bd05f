import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeSpanRow, newSpanRow } from '../../telemetry/index.ts'
import { startTelemetryServer, type TelemetryServer } from '../../telemetry/testing.ts'
import { readScores } from './score-repository.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

const trace = 'a'.repeat(32)

async function score(workspace: string, body: object): Promise<void> {
	const response = await fetch(`${server.url}/v1/scores`, {
		method: 'POST',
		headers: { authorization: `ingest ${workspace}`, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	})
	expect(response.status).toBe(201)
	await server.stored()
}

test('spotlight groups scores by name, also those of the calls that a filter selects', async () => {
	const call = newSpanRow({
		workspaceId: 'w3',
		traceId: trace,
		spanId: 'b'.repeat(16),
		name: 'call',
		source: 'gateway',
		kind: 'tool_call',
		startNs: BigInt(Date.now()) * 1_000_000n,
		toolName: 'search',
		sessionId: 's3',
	})
	await server.recorder.append({ workspaceId: 'w3', count: 1, bytes: encodeSpanRow(call) })
	for (const value of [1, 2, 6]) await score('w3', { name: 'stars', value, trace_id: trace })
	await score('w3', { name: 'safe', value: true, session_id: 's3' })
	await score('w3', { name: 'safe', value: false, session_id: 'elsewhere' })
	await score('w3', { name: 'tone', value: 'warm', trace_id: 'c'.repeat(32) })
	const range = { startMs: Date.now() - 60_000, endMs: Date.now() + 1000 }
	const ask = async (filter: object) =>
		(await readScores(server.store, 'w3', range, { limit: 10, ...filter })).scores
	expect(await ask({})).toMatchObject([
		{ name: 'stars', scores: 3, average: 3, min: 1, max: 6, median: 2, labels: [] },
		{
			name: 'safe',
			scores: 2,
			average: 0.5,
			labels: [
				{ label: 'false', scores: 1 },
				{ label: 'true', scores: 1 },
			],
		},
		{ name: 'tone', scores: 1, average: null, median: null, labels: [{ label: 'warm', scores: 1 }] },
	])
	expect(await ask({ tool: 'search' })).toMatchObject([
		{ name: 'stars', scores: 3 },
		{ name: 'safe', scores: 1 },
	])
	expect(await ask({ tool: 'fetch' })).toEqual([])
})
