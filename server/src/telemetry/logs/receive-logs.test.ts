import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeMessage } from '../otlp/encode-request.ts'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

const timeUnixNano = String(BigInt(Date.now()) * 1_000_000n + 123n)
const observedTimeUnixNano = String(BigInt(timeUnixNano) + 5n)
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const bodyOf = (...logRecords: object[]) => ({
	resourceLogs: [
		{
			resource: { attributes: [text('service.name', 'svc')] },
			schemaUrl: 'https://resource.example',
			scopeLogs: [
				{
					scope: { name: 's', attributes: [text('a', 'b')] },
					logRecords,
					schemaUrl: 'https://scope.example',
				},
			],
		},
	],
})
const request = bodyOf(
	{
		timeUnixNano,
		observedTimeUnixNano,
		severityNumber: 17,
		severityText: 'Error',
		body: { stringValue: 'it broke – ü' },
		attributes: [text('k', 'v'), { key: 'n', value: { intValue: '9007199254740993' } }],
		droppedAttributesCount: 2,
		flags: 1,
		traceId: 'ab'.repeat(16),
		spanId: 'cd'.repeat(8),
		eventName: 'gen_ai.client.inference.operation.details',
	},
	{ observedTimeUnixNano, body: { kvlistValue: { values: [text('x', 'y')] } }, traceId: 'abcd' },
	{ timeUnixNano, body: { bytesValue: 'AQI=' } },
)

async function send(
	workspace: string,
	body: Buffer | string,
	type: string,
	path = '/v1/logs',
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
		`SELECT * EXCEPT(workspace_id, trace_id, span_id), lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span,
			toString(toUnixTimestamp64Nano(recorded_at)) AS recorded_at FROM logs WHERE workspace_id = {w:String} ORDER BY body`,
		{ w: workspace },
	)
}

test("an event's name is taken from an attribute unless it has its own", async () => {
	const attributes = [text('event.name', 'gen_ai.choice')]
	const records = [
		{ timeUnixNano, body: { stringValue: '1' }, attributes },
		{ timeUnixNano, body: { stringValue: '2' }, attributes, eventName: 'own' },
		{ timeUnixNano, body: { stringValue: '3' }, attributes: [{ key: 'event.name', value: { intValue: 3 } }] },
	]
	await send('events', JSON.stringify(bodyOf(...records)), 'application/json')
	expect((await rowsOf('events')).map((row) => row.event_name)).toEqual(['gen_ai.choice', 'own', ''])
})

test.each([
	['JSON', 'application/json', JSON.stringify(request), '/v1/logs'],
	['protobuf', 'application/x-protobuf', encodeMessage('logs', request), '/telemetry/ingest_http/logs'],
])('log records are stored exactly: %s', async (name, type, body, path) => {
	const response = await send(name, body, type, path)
	expect([response.status, await response.text()]).toEqual([200, type.endsWith('json') ? '{}' : ''])
	const shared = {
		service_name: 'svc',
		resource_schema_url: 'https://resource.example',
		scope_name: 's',
		scope_attributes: { a: 'b' },
		scope_schema_url: 'https://scope.example',
	}
	expect(await rowsOf(name)).toMatchObject([
		{ ...shared, body: 'AQI=', body_type: 'bytes', recorded_at: timeUnixNano, observed_time_unix_nano: '0' },
		{
			...shared,
			body: 'it broke – ü',
			body_type: '',
			recorded_at: timeUnixNano,
			time_unix_nano: timeUnixNano,
			observed_time_unix_nano: observedTimeUnixNano,
			severity_number: 17,
			severity_text: 'Error',
			attributes: { k: 'v', n: '9007199254740993' },
			attribute_types: { n: 'int' },
			dropped_attributes: 2,
			flags: 1,
			trace: 'ab'.repeat(16),
			span: 'cd'.repeat(8),
			event_name: 'gen_ai.client.inference.operation.details',
		},
		{
			...shared,
			body: JSON.stringify({ values: [text('x', 'y')] }),
			body_type: 'kvlist',
			recorded_at: observedTimeUnixNano,
			time_unix_nano: '0',
			trace: '0'.repeat(32),
		},
	])
})

test('a record without a time is stored with the time of its arrival', async () => {
	const before = BigInt(Date.now()) * 1_000_000n
	const response = await send(
		'timeless',
		JSON.stringify(bodyOf({ body: { stringValue: 'x' } })),
		'application/json',
	)
	expect(await response.text()).toBe('{}')
	const [row] = await rowsOf('timeless')
	expect(row).toMatchObject({ body: 'x', time_unix_nano: '0' })
	expect(BigInt(row?.recorded_at as string)).toBeGreaterThanOrEqual(before)
})

test('a malformed record is rejected alone', async () => {
	const [good, nested] = [{ timeUnixNano, body: { stringValue: 'good' } }, { timeUnixNano: '1' }]
	const response = await send(
		'partial',
		encodeMessage('logs', bodyOf(nested, good)),
		'application/x-protobuf',
	)
	expect(response.status).toBe(200)
	const answer = Buffer.from(await response.arrayBuffer())
	expect(answer.subarray(0, 1).toString('hex')).toBe('0a')
	expect(answer.toString()).toContain('1 log record: time_unix_nano is older than the retention.')
	expect(await rowsOf('partial')).toMatchObject([{ body: 'good' }])
})

test('a long answer is compressed for clients that accept it', async () => {
	const wrong = {
		droppedAttributesCount: -1,
		flags: 'x',
		severityText: 1,
		eventName: 2,
		body: 3,
		traceId: 4,
		spanId: 5,
	}
	const records = Object.entries(wrong).map(([field, value]) => ({ timeUnixNano, [field]: value }))
	const answer = async (accepted: string) => {
		const response = await fetch(`${server.url}/v1/logs`, {
			method: 'POST',
			headers: { authorization: 'ingest w', 'content-type': 'application/json', 'accept-encoding': accepted },
			body: JSON.stringify(
				bodyOf(...records, ...records.map((each) => ({ ...each, attributes: 7 })), { timeUnixNano: 'no' }),
			),
		})
		const { partialSuccess } = (await response.json()) as { partialSuccess: { rejectedLogRecords: string } }
		return [partialSuccess.rejectedLogRecords, response.headers.get('content-encoding')]
	}
	expect(await answer('br, gzip')).toEqual(['15', 'gzip'])
	expect(await answer('identity')).toEqual(['15', null])
	expect(await answer('gzip;q=0')).toEqual(['15', null])
})

// biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
async function list(workspace: string, query: string, of = 'logs'): Promise<any> {
	await server.stored()
	const response = await fetch(`${server.url}/v1/telemetry/${of}?${query}`, {
		headers: { authorization: `key ${workspace}` },
	})
	expect(response.status).toBe(200)
	return response.json()
}

test('records are read back with their types, filtered by severity, service, event, trace and attribute', async () => {
	await send('read', JSON.stringify(request), 'application/json')
	const { logs, next_cursor } = await list('read', 'severity_min=17')
	expect(next_cursor).toBeNull()
	expect(logs).toEqual([
		{
			recorded_at: expect.any(String),
			time_unix_nano: timeUnixNano,
			observed_time_unix_nano: observedTimeUnixNano,
			trace_id: 'ab'.repeat(16),
			span_id: 'cd'.repeat(8),
			flags: 1,
			severity_number: 17,
			severity_text: 'Error',
			event_name: 'gen_ai.client.inference.operation.details',
			body: 'it broke – ü',
			attributes: { k: 'v', n: '9007199254740993' },
			dropped_attributes: 2,
			service_name: 'svc',
			resource: { 'service.name': 'svc' },
			resource_schema_url: 'https://resource.example',
			scope: { name: 's', version: '', attributes: { a: 'b' }, schema_url: 'https://scope.example' },
		},
	])
	const count = async (query: string) => (await list('read', query)).logs.length
	expect(await count('')).toBe(3)
	expect(await count('service=svc')).toBe(3)
	expect(await count('service=other')).toBe(0)
	expect(await count('event_name=gen_ai.client.inference.operation.details')).toBe(1)
	expect(await count(`trace_id=${'AB'.repeat(16)}`)).toBe(1)
	expect(await count('attribute=k%3Dv')).toBe(1)
	expect(await count('text=no%20such%20text')).toBe(0)
	expect(await count('text=Y')).toBe(1)
	expect(await count('attribute=service.name%3Dsvc')).toBe(3)
	expect(await count('attribute=absent%3D')).toBe(0)
	expect((await list('other', '')).logs).toEqual([])
	const bodies = (await list('read', '')).logs.map((log: { body: unknown }) => log.body)
	expect(bodies).toContainEqual({ x: 'y' })
})

test('text is looked for in the keys and values of a structured body, not in its stored form', async () => {
	const value = (stringValue: string) => ({ stringValue })
	const inner = [
		{ key: 'path', value: value('C:\\logs/"new"\nline') },
		{ key: 'size', value: { doubleValue: 1.5 } },
		{ key: 'ok', value: { boolValue: true } },
	]
	const values = [
		value('first'),
		{ kvlistValue: { values: inner } },
		{ intValue: '12' },
		value('","key":"no'),
	]
	const bodies = [{ arrayValue: { values } }, { arrayValue: { values: [] } }, value('keys')]
	const records = bodies.map((body) => ({ timeUnixNano, body }))
	await send('searched', JSON.stringify(bodyOf(...records)), 'application/json')
	const found: Record<string, number> = {
		FIRST: 1,
		'logs/"NEW"\nl': 1,
		'C:\\logs': 1,
		siz: 1,
		'1.5': 1,
		true: 1,
	}
	Object.assign(found, { '12': 1, '","key":': 1, key: 2, keys: 1, string: 0, value: 0, '{': 0, 'first"': 0 })
	for (const [text, count] of Object.entries(found))
		expect([text, (await list('searched', `text=${encodeURIComponent(text)}`)).logs.length]).toEqual([
			text,
			count,
		])
})

test('pages neither lose nor repeat records of the same nanosecond', async () => {
	const records = Array.from({ length: 25 }, (_, i) => ({
		timeUnixNano,
		body: { stringValue: `r${Math.floor(i / 5)}-${i % 4}` },
	}))
	await send('paged', JSON.stringify(bodyOf(...records)), 'application/json')
	const seen: string[] = []
	for (let cursor: string | null = ''; cursor !== null; ) {
		const page = await list('paged', `limit=4${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
		seen.push(...page.logs.map((log: { body: string }) => log.body))
		cursor = page.next_cursor
	}
	expect(seen.sort()).toEqual(records.map(({ body }) => body.stringValue).sort())
})

test('a call that an event reports is stored once, however often the body is sent', async () => {
	const event = {
		timeUnixNano,
		eventName: 'event otel/src/events/session_telemetry.rs:1153',
		attributes: [
			...[
				text('event.name', 'codex.sse_event'),
				text('conversation.id', 'c1'),
				text('model', 'gpt-5.1-codex'),
			],
			{ key: 'input_token_count', value: { intValue: '350' } },
		],
	}
	const body = JSON.stringify(bodyOf(event))
	for (let times = 0; times < 2; times++)
		expect((await send('agents', body, 'application/json')).status).toBe(200)
	expect((await rowsOf('agents')).map((row) => row.event_name)).toEqual(['codex.sse_event'])
	const calls = await server.store.query(
		"SELECT kind, session_id, model_requested, toUInt32(input_tokens) AS input, scope_name FROM spans WHERE workspace_id = 'agents'",
	)
	expect(calls).toEqual([
		{ kind: 'model_call', session_id: 'c1', model_requested: 'gpt-5.1-codex', input: 350, scope_name: 's' },
	])
})
