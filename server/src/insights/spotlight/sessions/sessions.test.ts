import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import { type SessionStage, stageSessions } from './stage.testing.ts'

let stage: SessionStage
let database: Awaited<ReturnType<typeof openTestSqlite>>
const session = { sessionId: 's1', userId: 'jane', client: 'cli/1', agentId: 'a1', agentName: 'Alpha' }
const model = {
	...session,
	source: 'model_proxy',
	kind: 'model_call',
	provider: 'openai',
	model: 'gpt',
} as const
const exceptions = (...messages: string[]) =>
	JSON.stringify(
		messages.map((message) => ({
			name: 'exception',
			attributes: [
				{ key: 'exception.type', value: { stringValue: 'ValueError' } },
				{ key: 'exception.message', value: { stringValue: message } },
			],
		})),
	)
/** As tracing-opentelemetry 0.33 sends `error!(error = …, "failed")`: the event is named after its text. */
const ofRust = JSON.stringify([
	{
		name: 'failed',
		attributes: [
			{ key: 'level', value: { stringValue: 'ERROR' } },
			{ key: 'exception.message', value: { stringValue: 'tool broke' } },
			{ key: 'exception.stacktrace', value: { arrayValue: { values: [] } } },
		],
	},
	{ name: 'hello', attributes: [{ key: 'level', value: { stringValue: 'INFO' } }] },
])
const first = '1'.repeat(16)
const second = '2'.repeat(16)

beforeAll(async () => {
	database = await openTestSqlite()
	stage = await stageSessions(database.store)
	await stage.record(
		{ ...model, atS: 0, spanId: first, costNanoUsd: 100n, inputTokens: 7, durationNs: 2_000_000_000n },
		{
			...{ ...session, atS: 3, toolName: 'search', serverId: 'v1', serverName: 'Docs' },
			attributes: new Map([
				['gen_ai.tool.call.arguments', '{"q":"otters"}'],
				['gen_ai.tool.call.result', '{"content":[{"type":"text","text":"three"}]}'],
			]),
		},
		{
			...session,
			atS: 3,
			toolName: 'fetch',
			status: 'error',
			errorType: 'timeout',
			statusMessage: 'too slow',
		},
		{ ...model, atS: 60, spanId: second, costNanoUsd: 25n },
		{ ...session, sessionId: 's2', atS: 61, toolName: 'search' },
		{ ...session, sessionId: 'team/7', atS: 62, toolName: 'search' },
		{ ...session, sessionId: 's1', atS: 63, toolName: 'secret', workspaceId: 'other' },
		{
			...{ ...session, sessionId: 's4', atS: 64, toolName: 'divide', status: 'error' },
			...{ errorType: 'ValueError', events: exceptions('first try', 'cannot divide by zero') },
		},
		{
			...{ ...session, sessionId: 's5', atS: 65, toolName: 'rust', status: 'error', events: ofRust },
		},
	)
	await stage.carry(first, 0, [
		'tool:search:{}',
		'system::be kind',
		'message:user:hello',
		'answer:assistant:hi',
	])
	await stage.carry(second, 60, [
		...['system::be kind', 'message:user:hello', 'message:assistant:HI', 'message:user:and now?'],
		`answer:assistant:${'x'.repeat(20_001)}`,
	])
})
afterAll(async () => {
	await stage?.close()
	await database?.end()
})

const read = (id = 's1', query = '', token = stage.app.owner.token) =>
	stage.app.request('GET', `/v1/spotlight/sessions/${id}${query}`, { token })

it('a failed call whose status has no message has that of its last exception, wherever it is shown', async () => {
	const message = 'cannot divide by zero'
	expect((await read('s4')).body.calls).toMatchObject([{ tool: 'divide', status_message: message }])
	expect((await read('s5')).body.calls).toMatchObject([{ tool: 'rust', status_message: 'tool broke' }])
	const get = async (path: string) =>
		(
			await stage.app.request(
				'GET',
				`/v1/${path}&start=2026-06-01T00:00:00Z&end=2026-06-02T00:00:00Z`,
				stage.app.owner,
			)
		).body
	expect(await get('spotlight/errors?tool=divide')).toMatchObject({
		errors: [{ error_type: 'ValueError', message }],
	})
})

it('such a call is found by that message, as others are by theirs', async () => {
	const toolsWith = async (condition: string) => {
		const query = new URLSearchParams({ start: '2026-06-01T00:00:00Z', end: '2026-06-02T00:00:00Z' })
		query.append('filter', condition)
		const ask = (path: string) => stage.app.request('GET', `/v1/${path}?${query}`, stage.app.owner)
		const { tools } = (await ask('spotlight/tools')).body
		const rows = [...new Set(tools.map(({ tool }: { tool: string }) => tool))].sort()
		query.append('fields', 'tool')
		query.append('of', 'spans')
		const [facet] = (await ask('spotlight/facets')).body.facets
		expect(facet.values.map(({ value }: { value: string }) => value).sort()).toEqual(rows)
		return rows
	}
	expect(await toolsWith('status_message~=BY ZERO')).toEqual(['divide'])
	expect(await toolsWith('status_message=cannot divide by zero')).toEqual(['divide'])
	expect(await toolsWith('status_message=first try')).toEqual([])
	expect(await toolsWith('status_message~=slow')).toEqual(['fetch'])
	expect(await toolsWith('status_message=tool broke')).toEqual(['rust'])
	expect(await toolsWith('status_message')).toEqual(['divide', 'fetch', 'rust'])
	expect(await toolsWith('status_message!~=divide')).toEqual(['fetch', 'rust', 'search'])
	expect(await toolsWith('!status_message')).toEqual(['search'])
})

it('has every call once in chronological order, with its turn, the gap before it and the cost so far', async () => {
	const { body } = await read()
	expect(body).toMatchObject({
		session_id: 's1',
		agent: { id: 'a1', name: 'Alpha' },
		user_id: 'jane',
		client: 'cli/1',
		started_at: '2026-06-01T10:00:00.000Z',
		ended_at: '2026-06-01T10:01:01.000Z',
		calls: expect.any(Array),
		cost_nano_usd: '125',
		errors: 1,
		tool_calls: 2,
		next_cursor: null,
	})
	expect(body.calls).toMatchObject([
		{
			turn: 1,
			kind: 'model_call',
			gap_ms: null,
			cost_nano_usd: '100',
			cost_usd: '0.0000001',
			cost_so_far_nano_usd: '100',
			tokens: { input: 7 },
		},
		{
			turn: 1,
			tool: 'search',
			server: { id: 'v1', name: 'Docs' },
			gap_ms: 1000,
			cost_so_far_nano_usd: '100',
			tokens: null,
		},
		{ turn: 1, tool: 'fetch', gap_ms: 0, status: 'error', error_type: 'timeout', status_message: 'too slow' },
		{
			turn: 2,
			kind: 'model_call',
			gap_ms: 56_000,
			cost_so_far_nano_usd: '125',
			cost_so_far_usd: '0.000000125',
		},
	])
})

it('shows for each call the time to the first token, retries and fallbacks, and the approval', async () => {
	const attempts = JSON.stringify([
		{ connection: 'primary', model: 'gpt', status: 500, error_type: 'provider_error', duration_ms: 12 },
		{ connection: 'backup', status: 200, duration_ms: 30 },
	])
	const approval: [string, string | bigint][] = [
		['signalbox.approval.id', 'ap1'],
		['signalbox.approval.decision', 'approved'],
		['signalbox.approval.waited_ms', 4000n],
	]
	const run = { ...session, sessionId: 'way' }
	await stage.record(
		{
			...{ ...model, ...run, atS: 100, timeToFirstTokenNs: 250_000_000n },
			attributes: new Map([['signalbox.attempts', attempts]]),
		},
		{ ...run, atS: 102, toolName: 'send', attributes: new Map(approval) },
		{ ...run, atS: 104, toolName: 'send' },
	)
	const { body } = await read('way')
	expect(body.calls).toMatchObject([
		{
			time_to_first_token_ms: 250,
			approval: null,
			attempts: [
				{ connection: 'primary', model: 'gpt', error_type: 'provider_error', duration_ms: 12 },
				{ connection: 'backup', model: null, error_type: null, duration_ms: 30 },
			],
		},
		{ approval: { id: 'ap1', decision: 'approved', waited_ms: 4000 }, attempts: [] },
		{ time_to_first_token_ms: null, approval: null, attempts: [] },
	])
})

it('shows the arguments and the result of a tool call', async () => {
	const { body } = await read()
	expect(body.calls[1].messages).toEqual([
		{ kind: 'arguments', role: null, text: '{"q":"otters"}', cut: false },
		{ kind: 'result', role: null, text: '{"content":[{"type":"text","text":"three"}]}', cut: false },
	])
	expect(body.calls[2].messages).toBeNull()
})

it('shows the new messages of each model call, truncated if they are long', async () => {
	const { body } = await read()
	expect(body.conversation).toBe('recorded')
	const texts = body.calls
		.filter(({ kind }: { kind: string }) => kind === 'model_call')
		.map(({ messages }: { messages: { text: string; cut: boolean }[] | null }) =>
			messages?.map(({ text, cut }) => [text.slice(0, 8), cut]),
		)
	expect(texts).toEqual([
		[
			['be kind', false],
			['hello', false],
			['hi', false],
		],
		[
			['and now?', false],
			['xxxxxxxx', true],
		],
	])
})

async function readPaged(session: string, query = '?limit=1'): Promise<unknown[]> {
	const { calls, next_cursor } = (await read(session, query)).body
	const next = next_cursor && `?limit=1&cursor=${encodeURIComponent(next_cursor)}`
	return next ? [...calls, ...(await readPaged(session, next))] : calls
}

it('its pages together are the whole, and cursors are valid for this list only', async () => {
	expect(await readPaged('s1')).toEqual((await read()).body.calls)
	expect((await read('s1', '?cursor=abc')).status).toBe(400)
})

it('its pages have every copy of a call that was sent again', async () => {
	const copy = { ...session, sessionId: 'again', traceId: 'b'.repeat(32), spanId: '7'.repeat(16), atS: 1 }
	await stage.record(copy, { ...copy, toolName: 'search' }, { ...copy, spanId: '8'.repeat(16) })
	expect((await read('again')).body.calls).toHaveLength(3)
	expect(await readPaged('again')).toHaveLength(3)
})

it('includes the calls beneath the span that names it, with the agent that another span names', async () => {
	const trace = { traceId: 'c'.repeat(32), source: 'otlp' } as const
	await stage.record(
		{
			...trace,
			atS: 100,
			spanId: 'c'.repeat(16),
			kind: 'other',
			sessionId: 'rooted',
			userId: 'joe',
			durationNs: 1n,
		},
		{
			...trace,
			atS: 101,
			spanId: 'd'.repeat(16),
			parentSpanId: 'c'.repeat(16),
			kind: 'other',
			agentName: 'Beta',
		},
		{ ...trace, atS: 102, parentSpanId: 'd'.repeat(16), kind: 'model_call', model: 'gpt' },
	)
	const { body } = await read('rooted')
	expect(body).toMatchObject({ user_id: 'joe', agent: { id: null, name: 'Beta' }, model_calls: 1 })
	expect(body.calls).toMatchObject([{ kind: 'model_call' }])
})

const textsOf = (call: { messages: { kind: string; text: string }[] | null }) =>
	call.messages?.map(({ kind, text }) => `${kind} ${text}`)
const json = (role: string, content: string) => JSON.stringify({ role, content })
const openInference = (place: string, role: string, content: string): [string, string][] => [
	[`llm.${place}.message.role`, role],
	[`llm.${place}.message.content`, content],
]

it('shows the messages of model calls that arrived as spans, also from a view that is not counted', async () => {
	const call = { sessionId: 'spans', source: 'otlp', kind: 'model_call', model: 'gpt' } as const
	const one = openInference('input_messages.0', 'user', 'hello')
	const answered = openInference('output_messages.0', 'assistant', 'hi')
	const [own, around, within] = ['e', 'f', '9'].map((digit) => digit.repeat(16)) as [string, string, string]
	const traceId = 'e'.repeat(32)
	await stage.record(
		{ ...call, traceId, spanId: own, atS: 200, attributes: new Map([...one, ...answered]) },
		{
			...call,
			...{ traceId, spanId: around, atS: 202 },
			attributes: new Map([
				...one,
				...openInference('input_messages.1', 'assistant', 'hi'),
				...openInference('input_messages.2', 'user', 'and now?'),
				...openInference('output_messages.0', 'assistant', 'this'),
			]),
		},
		// It has the usage, so it is the one that is counted.
		{
			...call,
			...{ traceId, spanId: within, parentSpanId: around, atS: 202, inputTokens: 5, usageSource: 'reported' },
		},
	)
	const { body } = await read('spans')
	expect(body).toMatchObject({ conversation: 'recorded', model_calls: 2 })
	expect(body.calls.map(textsOf)).toEqual([
		[`message ${json('user', 'hello')}`, `answer ${json('assistant', 'hi')}`],
		[`message ${json('user', 'and now?')}`, `answer ${json('assistant', 'this')}`],
	])
	const { body: second } = await read('spans', `?limit=1`)
	const rest = await read('spans', `?limit=1&cursor=${encodeURIComponent(second.next_cursor)}`)
	expect(rest.body.calls.map(textsOf)).toEqual([body.calls[1] && textsOf(body.calls[1])])
})

it('shows messages of another view of a call if the model proxy stored none', async () => {
	const answered = [['gen_ai.response.id', 'chatcmpl-9f8e7d6c5b4a']] as const
	const output = [['gen_ai.output.messages', '[{"role":"assistant","content":"hi"}]']] as const
	const call = { kind: 'model_call', model: 'gpt', sessionId: 'beside', atS: 300 } as const
	await stage.record(
		{
			...call,
			...{ source: 'model_proxy', traceId: '6'.repeat(32), spanId: '6'.repeat(16) },
			attributes: new Map(answered),
		},
		{
			...call,
			...{ source: 'otlp', otlpKind: 3, traceId: '7'.repeat(32), spanId: '7'.repeat(16) },
			attributes: new Map([...answered, ...output]),
		},
	)
	const { body } = await read('beside')
	expect(body.calls.map(textsOf)).toEqual([[`answer ${json('assistant', 'hi')}`]])
})

it('shows messages that were recorded at another time than their span', async () => {
	const late = '8'.repeat(16)
	await stage.record({ ...model, sessionId: 'late', atS: 400, spanId: late })
	await stage.carry(late, 460, ['message:user:hello', 'answer:assistant:hi'])
	const { body } = await read('late')
	expect(body.calls.map(textsOf)).toEqual([['message hello', 'answer hi']])
	const early = '7'.repeat(16)
	await stage.record({ ...model, sessionId: 'early', atS: 500, spanId: early })
	await stage.carry(early, 440, ['message:user:earlier'])
	expect((await read('early')).body.calls.map(textsOf)).toEqual([['message earlier']])
})

it('is found by any name, but not from another workspace', async () => {
	expect((await read(`~${Buffer.from('team/7').toString('base64url')}`)).body).toMatchObject({
		session_id: 'team/7',
		calls: [{ tool: 'search' }],
	})
	expect((await read('s3')).status).toBe(404)
	const other = await stage.app.register()
	expect((await read('s1', '', other.token)).status).toBe(404)
})

it('a key that may only read figures does not read messages', async () => {
	const key = await stage.app.request('POST', '/v1/keys', {
		token: stage.app.owner.token,
		body: { name: 'figures', scopes: ['spotlight:read'] },
	})
	const { body } = await read('s1', '', key.body.key)
	expect(body).toMatchObject({
		conversation: 'not_allowed',
		calls: [{ messages: null }, {}, {}, { messages: null }],
	})
})

it('is found as soon as it is acknowledged, as is its trace, and has its calls once they are stored', async () => {
	const run = { ...session, sessionId: 'new', traceId: 'e'.repeat(32) }
	await stage.acknowledge({ ...run, atS: 200, toolName: 'search' }, { ...run, atS: 204, toolName: 'fetch' })
	const { body, status } = await read('new')
	expect(status).toBe(200)
	expect(body).toMatchObject({
		...{ session_id: 'new', user_id: 'jane', client: 'cli/1', agent: { id: 'a1', name: 'Alpha' } },
		...{ started_at: '2026-06-01T10:03:20.000Z', ended_at: '2026-06-01T10:03:25.000Z' },
		...{ tool_calls: 0, calls: [] },
	})
	expect((await read('newer')).status).toBe(404)
	expect((await read('new', '', (await stage.app.register()).token)).status).toBe(404)
	await stage.storeAll()
	expect((await read('new')).body).toMatchObject({
		...{ started_at: body.started_at, ended_at: body.ended_at, tool_calls: 2 },
		calls: [{ tool: 'search' }, { tool: 'fetch' }],
	})
})
