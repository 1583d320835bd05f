import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AttributeValue, newSpanRow, type SpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

const startMs = Date.now() - 60_000
let spans = 0

function span(fields: Partial<SpanRow> = {}): SpanRow {
	const spanId = (++spans).toString(16).padStart(16, '0')
	return newSpanRow({
		workspaceId: 'w1',
		traceId: 'a'.repeat(32),
		spanId,
		name: `n${spans}`,
		source: 'gateway',
		kind: 'tool_call',
		startNs: BigInt(startMs) * 1_000_000n + BigInt(spans),
		...fields,
	})
}

async function record(...rows: SpanRow[]): Promise<void> {
	const workspaceId = rows[0]?.workspaceId ?? ''
	await server.recorder.append({
		workspaceId,
		count: rows.length,
		bytes: Buffer.concat(rows.map(encodeSpanRow)),
	})
	await server.stored()
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
async function get(path: string, workspaceId = 'w1'): Promise<{ status: number; body: any }> {
	const response = await fetch(`${server.url}/v1/telemetry${path}`, {
		headers: { authorization: `key ${workspaceId}` },
	})
	return { status: response.status, body: await response.json() }
}

const names = (body: { spans: { name: string }[] }) => body.spans.map(({ name }) => name)

test('a span is read back with every field, and every attribute with its type', async () => {
	const attributes = new Map<string, AttributeValue>([
		['text', 'a\nb'],
		['line\nbreak', 'key'],
		['int', 5n],
		['big', 2n ** 63n - 1n],
		['double', 0.5],
		['nan', Number.NaN],
		['yes', true],
		['nothing', null],
		['bytes', Buffer.from([1, 2])],
		['list', ['a', 1n, [false]]],
		[
			'object',
			Object.fromEntries([
				['x', 1n],
				['__proto__', 'p'],
			]),
		],
		['__proto__', 'own'],
	])
	const spanEvent = { timeUnixNano: '1', name: 'e' }
	const spanLink = { traceId: 'x', spanId: '', flags: 1 }
	const row = span({
		workspaceId: 'full',
		traceId: '0123456789ABCDEF0123456789abcdef'.toLowerCase(),
		parentSpanId: 'f'.repeat(16),
		status: 'error',
		statusMessage: 'm',
		errorType: 'e',
		durationNs: 1_234_567n,
		serviceName: 'svc',
		agentId: 'a1',
		agentName: 'agent',
		serverId: 's1',
		serverName: 'server',
		toolName: 'echo',
		mcpMethod: 'tools/call',
		sessionId: 'sess',
		userId: 'u',
		client: 'c/1',
		connection: 'openai',
		provider: 'openai',
		modelRequested: 'm1',
		model: 'm2',
		inputTokens: 1,
		cacheReadTokens: 2,
		cacheWriteTokens: 3,
		outputTokens: 4,
		reasoningTokens: 5,
		usageSource: 'reported',
		costNanoUsd: 2n ** 60n,
		timeToFirstTokenNs: 5_000_000n,
		httpStatus: 200,
		requestBytes: 10,
		responseBytes: 20,
		attributes,
		resource: new Map([['service.name', 'svc']]),
		events: JSON.stringify([spanEvent]),
		links: JSON.stringify([spanLink]),
		...{ otlpKind: 3, traceState: 'k=v', flags: 257, scopeName: 'scope', scopeVersion: '1' },
		...{ scopeSchemaUrl: 'https://scope.example', resourceSchemaUrl: 'https://resource.example' },
		...{ droppedAttributes: 1, droppedEvents: 2, droppedLinks: 3 },
	})
	await record(row)
	const { status, body } = await get('/traces/0123456789ABCDEF0123456789abcdef', 'full')
	expect(status).toBe(200)
	expect(body).toEqual({
		trace_id: '0123456789abcdef0123456789abcdef',
		trace_ids: ['0123456789abcdef0123456789abcdef'],
		scores: [],
		tool_links: [],
		next_cursor: null,
		spans: [
			{
				trace_id: row.traceId,
				span_id: row.spanId,
				parent_span_id: row.parentSpanId,
				name: row.name,
				source: 'gateway',
				kind: 'tool_call',
				status: 'error',
				status_message: 'm',
				error_type: 'e',
				started_at: new Date(startMs).toISOString(),
				start_time_unix_nano: String(row.startNs),
				duration_ms: 1.234567,
				duration_nano: '1234567',
				service_name: 'svc',
				agent: { uuid: 'a1', name: 'agent' },
				agent_name: 'agent',
				server: { id: 's1', name: 'server' },
				server_name: 'server',
				tool: 'echo',
				mcp_method: 'tools/call',
				session_id: 'sess',
				user_id: 'u',
				client: 'c/1',
				connection: 'openai',
				provider: 'openai',
				model_requested: 'm1',
				model: 'm2',
				tokens: { input: 1, cache_read: 2, cache_write: 3, output: 4, reasoning: 5 },
				usage_source: 'reported',
				cost_nano_usd: String(2n ** 60n),
				cost_usd: '1152921504.606846976',
				cost_source: null,
				ledger: [],
				dialect: null,
				mapper_version: null,
				span_kind: 'client',
				trace_state: 'k=v',
				flags: 257,
				scope: { name: 'scope', version: '1', schema_url: 'https://scope.example' },
				resource_schema_url: 'https://resource.example',
				dropped: { attributes: 1, events: 2, links: 3 },
				time_to_first_token_ms: 5,
				http_status: 200,
				request_bytes: 10,
				response_bytes: 20,
				attributes: JSON.parse(
					'{"text":"a\\nb","line\\nbreak":"key","int":5,"big":"9223372036854775807","double":0.5,"nan":"NaN","yes":true,"nothing":null,"bytes":"AQI=","list":["a",1,[false]],"object":{"x":1,"__proto__":"p"},"__proto__":"own"}',
				),
				resource: { 'service.name': 'svc' },
				events: [spanEvent],
				links: [spanLink],
			},
		],
	})
	expect(Object.keys(body.spans[0].attributes)).toContain('__proto__')
})

describe('a list', () => {
	test('stays stable while spans arrive: no span is repeated or lost', async () => {
		const workspaceId = 'pages'
		const first = Array.from({ length: 25 }, () => span({ workspaceId }))
		await record(...first)
		const seen: string[] = []
		let path = '/spans?limit=10'
		for (let page = 0; page < 3; page++) {
			const { body } = await get(path, workspaceId)
			seen.push(...names(body))
			path = `/spans?limit=10&cursor=${encodeURIComponent(body.next_cursor)}`
			await record(span({ workspaceId }))
		}
		expect(seen).toEqual(first.map(({ name }) => name).reverse())
	})

	test('pages through spans that start at the same nanosecond', async () => {
		const workspaceId = 'ties'
		const rows = Array.from({ length: 7 }, () => span({ workspaceId, startNs: BigInt(startMs) * 1_000_000n }))
		await record(...rows)
		const { body: one } = await get('/spans?limit=4', workspaceId)
		const { body: two } = await get(
			`/spans?limit=4&cursor=${encodeURIComponent(one.next_cursor)}`,
			workspaceId,
		)
		expect([...names(one), ...names(two)].sort()).toEqual(rows.map(({ name }) => name).sort())
		expect(two.next_cursor).toBe(null)
	})

	test('has every copy of a span that was sent again, on whatever page', async () => {
		const workspaceId = 'copies'
		const traceId = 'f'.repeat(32)
		const sent = span({ workspaceId, traceId, startNs: BigInt(startMs) * 1_000_000n })
		const rows = ['a', 'b', 'c'].map((name) => ({ ...sent, name }))
		await record(...rows, span({ workspaceId, traceId, name: 'before', startNs: sent.startNs - 1n }))
		await record(span({ workspaceId, traceId, name: 'after', startNs: sent.startNs + 1n }))
		for (const list of ['/spans', `/traces/${traceId}`])
			for (const limit of [1, 2, 3, 4]) {
				const seen: string[] = []
				for (let cursor: string | null = ''; cursor !== null; ) {
					const { body } = await get(
						`${list}?limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
						workspaceId,
					)
					seen.push(...names(body))
					cursor = body.next_cursor
				}
				expect([list, limit, seen.sort()]).toEqual([list, limit, ['a', 'after', 'b', 'before', 'c']])
			}
	})

	test('filters, and treats special characters in values literally', async () => {
		const workspaceId = 'filters'
		const resource = new Map([['mcp.resource.uri', 'file:///a']])
		await record(
			span({ workspaceId, toolName: 'echo', status: 'error', attributes: resource }),
			span({ workspaceId, toolName: "' OR 1=1 --" }),
			span({ workspaceId, kind: 'mcp', sessionId: 's', attributes: resource }),
		)
		const count = async (query: string) => (await get(`/spans?${query}`, workspaceId)).body.spans.length
		expect(await count('tool=echo')).toBe(1)
		expect(await count(`tool=${encodeURIComponent("' OR 1=1 --")}`)).toBe(1)
		expect(await count('kind=mcp&session_id=s')).toBe(1)
		expect(await count('status=error&kind=tool_call')).toBe(1)
		expect(await count('source=otlp')).toBe(0)
		expect(await count('calls=all')).toBe(2)
		expect(await count('calls=all&kind=mcp')).toBe(1)
		expect(await count('calls=failed&kind=mcp')).toBe(0)
		for (const requests of ['kind=mcp', 'resource=file:///a', 'resource~=file'])
			expect(await count(`calls=counted&filter=${encodeURIComponent(requests)}`)).toBe(1)
		expect(await count('calls=failed&filter=resource')).toBe(0)
		expect(await count('calls=failed&kind=tool_call&filter=resource')).toBe(1)
		expect(await count('calls=failed')).toBe(1)
		expect(await count('calls=all&client=none%2F1')).toBe(0)
		expect(await count('start=-1h')).toBe(3)
		expect(await count('end=-30m')).toBe(0)
	})

	test('of another workspace is empty, and so is its trace', async () => {
		await record(span({ workspaceId: 'mine', traceId: 'b'.repeat(32) }))
		expect((await get('/spans', 'other')).body.spans).toEqual([])
		expect((await get(`/traces/${'b'.repeat(32)}`, 'other')).status).toBe(404)
		expect((await get(`/traces/${'b'.repeat(32)}`, 'mine')).status).toBe(200)
	})
})

test('a trace is returned oldest first, in pages', async () => {
	const traceId = 'c'.repeat(32)
	const rows = Array.from({ length: 5 }, () => span({ traceId }))
	await record(...rows.toReversed())
	const { body: one } = await get(`/traces/${traceId}?limit=3`)
	const { body: two } = await get(`/traces/${traceId}?limit=3&cursor=${encodeURIComponent(one.next_cursor)}`)
	expect([...names(one), ...names(two)]).toEqual(rows.map(({ name }) => name))
})

test.each(['zz', 'a', 'a'.repeat(31), 'd'.repeat(32), "'"])(
	'the trace id %s is not found: 404',
	async (id) => {
		expect(await get(`/traces/${id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
	},
)

test.each([
	['start=yesterday', '/start'],
	['end=-1', '/end'],
	['start=-1h&end=-2h', '/start'],
	['start=2026-13-01T00:00:00Z', '/start'],
	['start=1800-01-01T00:00:00Z', '/start'],
	['cursor=abc', '/cursor'],
	['limit=0', '/limit'],
	['color=red', '/color'],
])('?%s is refused, naming the field', async (query, pointer) => {
	expect(await get(`/spans?${query}`)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } })
})

test('a cursor of another workspace is refused', async () => {
	await record(span({ workspaceId: 'c1' }), span({ workspaceId: 'c1' }))
	const { body } = await get('/spans?limit=1', 'c1')
	expect((await get(`/spans?cursor=${encodeURIComponent(body.next_cursor)}`, 'c2')).status).toBe(400)
})

test("a call shows the content in its span's attributes: messages of a model, arguments and result of a tool", async () => {
	const attributesOf = (...pairs: [string, AttributeValue][]) => new Map(pairs)
	const model = span({
		workspaceId: 'w-messages',
		kind: 'model_call',
		source: 'otlp',
		attributes: attributesOf(
			['gen_ai.input.messages', '[{"role":"user","parts":[{"type":"text","content":"hello"}]}]'],
			['gen_ai.output.messages', '[{"role":"assistant","parts":[{"type":"text","content":"hi"}]}]'],
		),
	})
	const tool = span({
		...{ workspaceId: 'w-messages', source: 'otlp' },
		attributes: attributesOf(['input.value', '{"q":1}'], ['output.value', 'three']),
	})
	const silent = span({ workspaceId: 'w-messages' })
	await record(model, tool, silent)
	const messagesOf = async ({ traceId, spanId }: SpanRow, workspaceId?: string) => {
		const { status, body } = await get(`/traces/${traceId}/spans/${spanId}/messages`, workspaceId)
		if (status !== 200) return status
		return body.messages.map(({ kind, name, text }: Record<string, string>) => [kind, name, text])
	}
	expect(await messagesOf(model, 'w-messages')).toEqual([
		['message', 'user', expect.stringContaining('hello')],
		['answer', 'assistant', expect.stringContaining('hi')],
	])
	expect(await messagesOf(tool, 'w-messages')).toEqual([
		['arguments', null, '{"q":1}'],
		['result', null, 'three'],
	])
	expect([await messagesOf(silent, 'w-messages'), await messagesOf(tool)]).toEqual([404, 404])
})
