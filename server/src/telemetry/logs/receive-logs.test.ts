import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeMessage } from '../otlp/testing/encode-message.ts'
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

test.each([
	['JSON', 'application/json', JSON.stringify(request), '/v1/logs'],
	['protobuf', 'application/x-protobuf', encodeMessage('logs', request), '/telemetry/ingest_http/logs'],
])('log records are kept exactly: %s', async (name, type, body, path) => {
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

test('a record that says no time is kept under the time of its arrival', async () => {
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

test('a record that is broken inside is rejected alone', async () => {
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

test('a long answer is compressed for those who take it', async () => {
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
