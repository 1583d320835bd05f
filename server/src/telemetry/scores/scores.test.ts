import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'
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

async function score(workspace: string, body: object) {
	const answer = await request('POST', '/v1/scores', `ingest ${workspace}`, body)
	expect([answer.status, answer.body.detail]).toEqual([201, undefined])
	await server.stored()
	return answer.body
}
const list = async (workspace: string, query = '') =>
	(await request('GET', `/v1/scores?${query}`, `key ${workspace}`)).body

const trace = 'a'.repeat(32)
const span = 'b'.repeat(16)
async function recordCall(workspaceId: string, toolName: string, sessionId: string): Promise<void> {
	const row = newSpanRow({
		workspaceId,
		traceId: trace,
		spanId: span,
		name: 'call',
		source: 'gateway',
		kind: 'tool_call',
		startNs: BigInt(Date.now()) * 1_000_000n,
		toolName,
		sessionId,
	})
	await server.recorder.append({ workspaceId, count: 1, bytes: encodeSpanRow(row) })
	await server.stored()
}

test('a score of any type is read back as it was sent, newest first, and on its trace', async () => {
	await recordCall('w1', 'search', 's1')
	const given = [
		await score('w1', { name: 'helpful', value: 0.25, trace_id: trace, comment: 'meh', source: 'model' }),
		await score('w1', { name: 'safe', value: true, trace_id: trace.toUpperCase(), span_id: span }),
		await score('w1', { name: 'tone', value: 'warm', session_id: 's1', source: 'end_user' }),
		await score('w1', { name: 'note', comment: 'look here', session_id: 's1', trace_id: trace }),
	]
	expect(given.map(({ type, value, source }) => [type, value, source])).toEqual([
		['numeric', 0.25, 'model'],
		['boolean', true, 'code'],
		['category', 'warm', 'end_user'],
		['comment', null, 'code'],
	])
	const byId = (scores: { id: string }[]) => scores.toSorted((a, b) => (a.id < b.id ? -1 : 1))
	const { scores } = await list('w1')
	expect(byId(scores)).toEqual(byId(given))
	const shown = await request('GET', `/v1/telemetry/traces/${trace}`, 'key w1')
	expect(byId(shown.body.scores)).toEqual(byId(given.filter(({ trace_id }) => trace_id !== null)))
	const names = async (query: string) =>
		(await list('w1', query)).scores.map(({ name }: { name: string }) => name).sort()
	expect(await names('session_id=s1')).toEqual(['note', 'tone'])
	expect(await names(`trace_id=${trace}&span_id=${span}`)).toEqual(['safe'])
	expect(await names('name=tone&source=end_user')).toEqual(['tone'])
	expect((await list('other')).scores).toEqual([])
})

test('an evaluation result that arrived by OTLP is a score, in pages like the others', async () => {
	const attributes = (name: string, value: object) => [
		{ key: 'gen_ai.evaluation.name', value: { stringValue: name } },
		value,
		{ key: 'gen_ai.conversation.id', value: { stringValue: 'conv' } },
	]
	const number = { key: 'gen_ai.evaluation.score.value', value: { intValue: '4' } }
	const label = { key: 'gen_ai.evaluation.score.label', value: { stringValue: 'pass' } }
	const record = (attributes: object[], at: number) => ({
		timeUnixNano: String(BigInt(Date.now() - 1000 + at) * 1_000_000n),
		eventName: 'gen_ai.evaluation.result',
		traceId: trace,
		attributes,
	})
	const logRecords = [
		record(attributes('relevance', number), 0),
		record(attributes('verdict', label), 1),
		{ ...record([], 2), eventName: 'something.else' },
	]
	const body = { resourceLogs: [{ scopeLogs: [{ logRecords }] }] }
	expect((await request('POST', '/v1/logs', 'ingest w2', body)).status).toBe(200)
	await server.stored()
	const first = await list('w2', 'limit=1')
	const second = await list('w2', `limit=1&cursor=${encodeURIComponent(first.next_cursor)}`)
	expect([first.scores, second.scores]).toMatchObject([
		[{ name: 'verdict', type: 'category', value: 'pass', source: null, session_id: 'conv' }],
		[{ name: 'relevance', type: 'numeric', value: 4, trace_id: trace }],
	])
	expect((await list('w2', 'session_id=conv')).scores).toHaveLength(2)
})

test.each([
	[{ name: 'x', value: 1 }, '/trace_id'],
	[{ name: 'x', value: 1, span_id: span, session_id: 's' }, '/span_id'],
	[{ name: 'x', trace_id: trace }, '/value'],
	[{ name: 'x', value: 1, trace_id: 'zz' }, '/trace_id'],
	[{ name: 'x', value: [1], trace_id: trace }, '/value'],
])('%j is refused', async (body, pointer) => {
	const answer = await request('POST', '/v1/scores', 'ingest w1', body)
	expect(answer.status).toBe(400)
	expect(answer.body.errors[0].pointer).toBe(pointer)
})

test('a platform key cannot create scores, and an ingest token cannot read them', async () => {
	expect(
		(await request('POST', '/v1/scores', 'key w1', { name: 'x', value: 1, session_id: 's' })).status,
	).toBe(401)
	expect((await request('GET', '/v1/scores', 'ingest w1')).status).toBe(401)
})
