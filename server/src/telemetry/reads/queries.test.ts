import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

const startMs = Date.now() - 600_000
const at = (seconds: number) => String(BigInt(Math.round(startMs + seconds * 1000)) * 1_000_000n)
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const int = (key: string, intValue: number) => ({ key, value: { intValue: String(intValue) } })

async function send(workspace: string, signal: string, body: string): Promise<void> {
	const response = await fetch(`${server.url}/v1/${signal}`, {
		method: 'POST',
		headers: { authorization: `ingest ${workspace}`, 'content-type': 'application/json' },
		body,
	})
	expect([response.status, await response.json()]).toEqual([200, {}])
	await server.stored()
}

async function get(workspace: string, path: string) {
	const response = await fetch(`${server.url}/v1/telemetry${path}`, {
		headers: { authorization: `key ${workspace}` },
	})
	const body = await response.text()
	// biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
	const json = (): any => JSON.parse(body)
	return { status: response.status, headers: response.headers, text: body, json }
}

/** Spans by trace, name, parent, second and attributes. */
const spansOf = (service: string, ...spans: [string, string, string, number, object[]?][]) =>
	JSON.stringify({
		resourceSpans: [
			{
				resource: {
					attributes: [text('service.name', service), text('service.version', '2'), text('region', 'eu')],
				},
				schemaUrl: 'https://resource.example',
				scopeSpans: [
					{
						scope: { name: 'scope', version: '1', attributes: [text('of.scope', 'yes')] },
						spans: spans.map(([trace, name, parentSpanId, second, attributes = []], index) => ({
							traceId: trace.repeat(32),
							spanId: `${trace}${index}`.padEnd(16, 'f'),
							parentSpanId,
							name,
							kind: 3,
							startTimeUnixNano: at(second),
							endTimeUnixNano: at(second + 2),
							attributes,
							events: [{ timeUnixNano: at(second), name: 'e', attributes: [int('n', 1)] }],
							status: { code: index === 1 ? 2 : 1, message: 'm' },
						})),
					},
				],
			},
		],
	})

describe('spans by several attributes at once', () => {
	beforeAll(() =>
		send(
			'filters',
			'traces',
			spansOf(
				'svc',
				['a', 'one', '', 0, [text('route', '/Agents/1'), int('retries', 2)]],
				['a', 'two', '', 1, [text('route', '/agents/2'), int('retries', 10)]],
				['a', 'three', '', 2, [text('other', "it's")]],
			),
		),
	)

	test.each([
		[['route=/agents/2'], ['two']],
		[['route!=/agents/2'], ['three', 'one']],
		[['route~=AGENTS'], ['two', 'one']],
		[['route~=AGENTS', 'retries>=10'], ['two']],
		[['retries<10'], ['one']],
		[
			['retries<=10', 'retries>1.5'],
			['two', 'one'],
		],
		[
			['route', '!other'],
			['two', 'one'],
		],
		[['!route'], ['three']],
		[['region=eu', "other=it's"], ['three']],
		[['region=us'], []],
		[['route>5'], []],
		[["other=' OR 1=1 --"], []],
	])('%s finds %s', async (filters, names) => {
		const query = filters.map((filter) => `attribute=${encodeURIComponent(filter)}`).join('&')
		const { spans } = (await get('filters', `/spans?${query}`)).json()
		expect(spans.map(({ name }: { name: string }) => name)).toEqual(names)
	})

	test.each(['attribute=retries%3Eten', 'attribute=%3Dx', 'attribute='])('?%s is refused', async (query) => {
		expect((await get('filters', `/spans?${query}`)).status).toBe(400)
	})
})

test('traces are listed by their first span, page by page, also while spans arrive', async () => {
	const traces = ['1', '2', '3', '4', '5']
	await send(
		'traces',
		'traces',
		spansOf(
			'svc',
			...traces.map((trace, index): [string, string, string, number] => [trace, `root${trace}`, '', index]),
		),
	)
	await send('traces', 'traces', spansOf('other', ['3', 'inner', '30'.padEnd(16, 'f'), 8, [text('k', 'v')]]))
	const first = (await get('traces', '/traces?limit=2')).json()
	await send('traces', 'traces', spansOf('svc', ['6', 'late', '', 9]))
	const second = (
		await get('traces', `/traces?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`)
	).json()
	const third = (
		await get('traces', `/traces?limit=2&cursor=${encodeURIComponent(second.next_cursor)}`)
	).json()
	const pages = [first, second, third].flatMap(({ traces }) => traces)
	expect(pages.map(({ name }) => name)).toEqual(['root5', 'root4', 'root3', 'root2', 'root1'])
	expect(third.next_cursor).toBe(null)
	expect(pages[2]).toMatchObject({ spans: 2, services: ['other', 'svc'], duration_ms: 8000 })
	const found = (await get('traces', '/traces?attribute=k%3Dv')).json()
	expect(found.traces).toMatchObject([{ name: 'root3', spans: 2 }])
	expect((await get('nobody', '/traces')).json()).toEqual({ traces: [], next_cursor: null })
})

test('resources are who sent something, with how much and when', async () => {
	await send('resources', 'traces', spansOf('web', ['a', 'x', '', 0], ['a', 'y', '', 5]))
	await send('resources', 'logs', logsOf('web', 'one', 'two'))
	const { resources } = (await get('resources', '/resources')).json()
	expect(resources).toMatchObject([
		{
			service_name: 'web',
			service_version: '2',
			service_namespace: null,
			spans: 2,
			log_records: 2,
			data_points: 0,
			first_seen_at: new Date(startMs).toISOString(),
			last_seen_at: new Date(startMs + 5010).toISOString(),
		},
	])
	expect((await get('nobody', '/resources')).json()).toEqual({ resources: [] })
})

const logsOf = (service: string, ...bodies: string[]) =>
	JSON.stringify({
		resourceLogs: [
			{
				resource: { attributes: [text('service.name', service), text('service.version', '2')] },
				scopeLogs: [
					{
						scope: { name: 'scope' },
						logRecords: bodies.map((stringValue, index) => ({
							timeUnixNano: at(5 + index / 100),
							severityNumber: 9,
							body: { stringValue },
							attributes: [int('n', index)],
							traceId: 'ab'.repeat(16),
						})),
					},
				],
			},
		],
	})

describe('an export', () => {
	test('in OTLP is taken back, and then is the same telemetry', async () => {
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
			for (const line of exported.text.trimEnd().split('\n')) await send('to', signal, line)
			const [from, to] = [await get('from', `/${list}`), await get('to', `/${list}`)]
			expect(from.json()[list]).toHaveLength(2)
			expect(to.json()[list]).toEqual(from.json()[list])
		}
	})

	test('in JSON lines is what the list shows, as many as asked for, over several batches', async () => {
		const many = Array.from({ length: 1203 }, (_, index) => `log ${index}`)
		await send('many', 'logs', logsOf('svc', ...many))
		const lines = (await get('many', '/logs/export')).text.trimEnd().split('\n')
		expect(lines.map((line) => JSON.parse(line).body).sort()).toEqual(many.sort())
		const some = (await get('many', '/logs/export?limit=700&attribute=n%3C1000')).text.trimEnd().split('\n')
		expect(some).toHaveLength(700)
		const { logs } = (await get('many', '/logs?limit=1')).json()
		expect(JSON.parse(lines[0] as string)).toEqual(logs[0])
	})

	test('in CSV has no cell that a spreadsheet would run', async () => {
		await send('csv', 'traces', spansOf('=cmd|calc', ['a', '=1+1', '', 0]))
		const [head, row] = (await get('csv', '/spans/export?format=csv')).text.split('\r\n')
		expect(head).toMatch(/^"started_at","trace_id",/)
		expect(row).toContain(`"'=1+1"`)
		expect(row).toContain(`"'=cmd|calc"`)
	})

	test('refuses what it does not know, and is empty for another workspace', async () => {
		expect((await get('csv', '/spans/export?format=xml')).status).toBe(400)
		expect((await get('csv', '/spans/export?colour=red')).status).toBe(400)
		expect((await get('nobody', '/spans/export')).text).toBe('')
	})
})
