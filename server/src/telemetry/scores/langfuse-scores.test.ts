import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

async function request(method: string, path: string, credential: string, body?: object) {
	const response = await fetch(server.url + path, {
		method,
		headers: { authorization: credential, ...(body && { 'content-type': 'application/json' }) },
		...(body && { body: JSON.stringify(body) }),
	})
	// biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
	return { status: response.status, body: (await response.json()) as any }
}
async function scoresOf(workspace: string) {
	await server.stored()
	const { body } = await request('GET', '/v1/scores?start=2026-01-01T00:00:00Z', `key ${workspace}`)
	return body.scores
}

const trace_id = '75847a29be9d24868049697055c5c71d'
const at = new Date().toISOString()
/** Requests of the SDKs langfuse 3.15.0 and 5.0.4 for Python, and @langfuse/client 5.11.1, with their times set to now. */
const sent = {
	python3: {
		batch: [
			{
				id: 'e1',
				type: 'score-create',
				timestamp: at,
				body: { id: 'eef7ae374a4697f9', traceId: trace_id, name: 'helpful', value: 0.9, comment: 'good' },
			},
			{
				id: 'e2',
				type: 'score-create',
				timestamp: at,
				body: {
					id: '60bc4f6d7507b0a9',
					traceId: trace_id,
					observationId: '6857900e39f29a7d',
					name: 'ok',
					value: 1.0,
					dataType: 'BOOLEAN',
				},
			},
			{
				id: 'e3',
				type: 'score-create',
				timestamp: at,
				body: {
					id: '710fb5e239c2e20c',
					traceId: trace_id,
					name: 'cat',
					value: 'nice',
					dataType: 'CATEGORICAL',
				},
			},
			{
				id: 'e4',
				type: 'score-create',
				timestamp: at,
				body: { id: '0a8c71072e724496', sessionId: 's1', name: 'sess', value: 1.0 },
			},
		],
		metadata: { batch_size: 4, sdk_name: 'python', sdk_version: '3.15.0', public_key: 'pk-lf-x' },
	},
	python5: [
		{
			id: '587683489900869e',
			traceId: trace_id,
			name: 'helpful',
			value: 0.9,
			comment: 'good',
			timestamp: at,
		},
		{
			id: '796030a2b37f37b1',
			traceId: trace_id,
			observationId: '6fda8dabab7c7db1',
			name: 'ok',
			value: 1.0,
			dataType: 'BOOLEAN',
			timestamp: at,
		},
		{ id: '275e19f80574aa54', sessionId: 's1', name: 'sess', value: 1.0, timestamp: at },
	],
}
const describeScore = ({
	name,
	type,
	value,
	trace_id: trace,
	span_id,
	session_id,
}: Record<string, unknown>) =>
	[name, type, value, trace ? 'trace' : '', span_id ? 'span' : '', session_id].join(' ')

test('auth_check finds a project', async () => {
	const { status, body } = await request('GET', '/api/public/projects', 'ingest lf')
	expect([status, body.data[0].id]).toEqual([200, 'lf'])
})

test('scores are accepted as events and as a list, and stored once when they are sent again', async () => {
	for (let times = 0; times < 2; times++) {
		const answer = await request('POST', '/api/public/ingestion', 'ingest v3', sent.python3)
		expect(answer).toMatchObject({ status: 207, body: { errors: [] } })
		expect(answer.body.successes).toEqual(['e1', 'e2', 'e3', 'e4'].map((id) => ({ id, status: 201 })))
		expect(await request('POST', '/api/public/scores', 'ingest v5', sent.python5)).toEqual({
			status: 200,
			body: { id: '587683489900869e' },
		})
	}
	expect((await scoresOf('v3')).map(describeScore).sort()).toEqual([
		'cat category nice trace  ',
		'helpful numeric 0.9 trace  ',
		'ok boolean true trace span ',
		'sess numeric 1   s1',
	])
	expect((await scoresOf('v5')).map(describeScore).sort()).toEqual([
		'helpful numeric 0.9 trace  ',
		'ok boolean true trace span ',
		'sess numeric 1   s1',
	])
})

test('a refused event has its own reason and does not affect others', async () => {
	const good = { id: 'good', type: 'score-create', body: { name: 'n', value: 1, sessionId: 's' } }
	const event = (id: string, body: unknown, type = 'score-create') => ({ id, type, body })
	const bad = [
		event('generation', {}, 'generation-create'),
		event('nameless', { value: 1, sessionId: 's' }),
		event('nothing', { name: 'n', value: 1 }),
		event('span', { name: 'n', value: 1, traceId: trace_id, observationId: 'x' }),
		event('time', { name: 'n', value: 1, sessionId: 's', timestamp: 'then' }),
		event('list', [1]),
	]
	const { status, body } = await request('POST', '/api/public/ingestion', 'ingest bad', {
		batch: [...bad, good],
	})
	expect([status, body.successes]).toEqual([207, [{ id: 'good', status: 201 }]])
	expect(body.errors.map(({ id, message }: Record<string, string>) => `${id}: ${message}`)).toEqual([
		expect.stringContaining('generation: type: "generation-create" is not taken here'),
		'nameless: body/name: says what is scored and must not be empty.',
		'nothing: body/trace_id: or session_id says what is scored.',
		'span: body/observationId: must be 16 hex digits, the id of a span.',
		'time: body/timestamp: must be a time as in 2026-11-22T10:00:00Z.',
		'list: body/name: says what is scored and must not be empty.',
	])
	expect((await request('POST', '/api/public/scores', 'ingest bad', [{ name: 'n', value: {} }])).status).toBe(
		400,
	)
	expect((await request('POST', '/api/public/scores', 'ingest bad', [{ value: 1 }])).body.detail).toContain(
		'body/0/name',
	)
	expect((await request('POST', '/api/public/ingestion', 'ingest bad', { batch: {} })).status).toBe(400)
	expect((await request('GET', '/api/public/projects', 'key bad')).status).toBe(401)
	expect(await scoresOf('bad')).toHaveLength(1)
})

test('spans are accepted at the path that the SDKs append to their host', async () => {
	const body = readFileSync(new URL('../otlp/recorded/js-langfuse.json', import.meta.url), 'utf8')
	const response = await fetch(`${server.url}/api/public/otel/v1/traces`, {
		method: 'POST',
		headers: { authorization: 'ingest spans', 'content-type': 'application/json' },
		body: body.replaceAll(/"(start|end)TimeUnixNano":\s*"?\d+"?/g, `"$1TimeUnixNano":"${Date.now()}000000"`),
	})
	expect([response.status, await response.json()]).toEqual([200, {}])
	await server.stored()
	const [found] = await server.store.query<{ n: string }>(
		"SELECT count() AS n FROM spans WHERE workspace_id = 'spans' AND dialect = 'langfuse'",
	)
	expect(Number(found?.n)).toBeGreaterThan(0)
})
