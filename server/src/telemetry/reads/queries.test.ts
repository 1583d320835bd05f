import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callJoinColumnNames, callJoins, encodeCallJoin } from '../rollups/call-joins.ts'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { at, callsTo, int, logsOf, spansOf, startMs, text } from './stage.testing.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

const { send, get } = callsTo(() => server)

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

test('calls are found by a session and a user that only their root names, as Spotlight counts them', async () => {
	const chat = [text('gen_ai.operation.name', 'chat')]
	const root = [text('session.id', 's1'), text('user.id', 'jane')]
	await send(
		'named',
		'traces',
		spansOf('svc', ['a', 'root', '', 0, root], ['a', 'call', 'a0'.padEnd(16, 'f'), 1, chat]),
	)
	await send('named', 'traces', spansOf('svc', ['b', 'other', '', 2, chat]))
	await server.store.insertRowBinary({
		table: callJoins,
		columns: callJoinColumnNames,
		rows: [
			encodeCallJoin({
				...{ workspaceId: 'named', retentionDays: 30, hourS: Math.floor(startMs / 3_600_000) * 3600 },
				...{ startUs: (startMs + 1000) * 1000, trace: 'a'.repeat(32), span: 'a1'.padEnd(16, 'f') },
				...{ isHidden: 0, countedTrace: '', countedSpan: '', names: ['s1', 'jane', '', ''], tags: {} },
			}),
		],
		deduplicationToken: 'named',
	})
	const namesOf = async (query: string) =>
		(await get('named', query)).json().spans.map(({ name }: { name: string }) => name)
	expect(await namesOf('/spans?calls=all&session_id=s1')).toEqual(['call'])
	expect(await namesOf('/spans?calls=all&user_id=jane&kind=model_call')).toEqual(['call'])
	expect(await namesOf('/spans?calls=all&session_id=s2')).toEqual([])
	expect(await namesOf('/spans?session_id=s1')).toEqual(['root'])
	const { traces } = (await get('named', '/traces?calls=all&user_id=jane')).json()
	expect(traces).toMatchObject([{ name: 'root', spans: 2 }])
})

test('messages that a library sends as log records belong to its call, and records without content are not messages', async () => {
	const chat = [text('gen_ai.operation.name', 'chat')]
	const spans = ['asked', 'silent', 'whole', 'older'].map(
		(name, index) => ['c', name, '', index, chat] as const,
	)
	await send(
		'logged',
		'traces',
		spansOf('svc', ...spans.map((span) => [...span] as [string, string, string, number, object[]])),
	)
	const spanId = (index: number) => `c${index}`.padEnd(16, 'f')
	const kvlist = (...values: object[]) => ({ kvlistValue: { values } })
	const nested = (key: string, value: object) => ({ key, value })
	const logRecords = [
		{ span: 0, eventName: 'gen_ai.system.message', body: kvlist(text('content', 'be kind')) },
		{ span: 0, eventName: 'gen_ai.user.message', body: kvlist(text('content', 'sky?')) },
		{
			span: 0,
			eventName: 'gen_ai.choice',
			body: kvlist(
				int('index', 0),
				nested('message', kvlist(text('role', 'assistant'), text('content', 'blue'))),
			),
		},
		{ span: 0, eventName: 'something.else', body: kvlist(text('content', 'no message')) },
		{ span: 1, eventName: 'gen_ai.user.message', body: kvlist(text('role', 'user')) },
		{
			span: 1,
			eventName: 'gen_ai.choice',
			body: kvlist(nested('message', kvlist(text('role', 'assistant')))),
		},
		{
			span: 2,
			eventName: 'gen_ai.client.inference.operation.details',
			attributes: [
				text('gen_ai.input.messages', '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]'),
				text('gen_ai.output.messages', '[{"role":"assistant","parts":[{"type":"text","content":"ho"}]}]'),
			],
		},
		{
			span: 3,
			attributes: [text('event.name', 'gen_ai.user.message')],
			body: kvlist(text('content', 'old')),
		},
	].map(({ span, ...record }, index) => ({
		...{ timeUnixNano: at(5 + index / 100), traceId: 'c'.repeat(32), spanId: spanId(span) },
		...record,
	}))
	await send('logged', 'logs', JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }))
	const messagesOf = async (index: number) => {
		const { status, json } = await get('logged', `/traces/${'c'.repeat(32)}/spans/${spanId(index)}/messages`)
		if (status !== 200) return status
		return json().messages.map(({ kind, text }: Record<string, string>) => [kind, text])
	}
	expect(await messagesOf(0)).toEqual([
		['system', expect.stringContaining('be kind')],
		['message', expect.stringContaining('sky?')],
		['answer', expect.stringContaining('blue')],
	])
	expect(await messagesOf(1)).toBe(404)
	expect(await messagesOf(2)).toEqual([
		['message', expect.stringContaining('hi')],
		['answer', expect.stringContaining('ho')],
	])
	expect(await messagesOf(3)).toEqual([['message', expect.stringContaining('old')]])
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

test('a trace that began long before its newest span is listed at its beginning, with all of its spans', async () => {
	const hourAgo = -3600
	await send(
		'old',
		'traces',
		spansOf(
			'svc',
			['a', 'oldest', '', 3 * hourAgo],
			['b', 'long', '', 2 * hourAgo],
			['b', 'of long', 'b1'.padEnd(16, 'f'), 590],
			['c', 'newest', '', 580],
			['d', 'a day before', '', 20 * hourAgo],
		),
	)
	const pages = async (path: string) => {
		const found: { name: string; spans?: number }[] = []
		for (let cursor = ''; ; ) {
			const page = (await get('old', `${path}?start=-3d&limit=1${cursor}`)).json()
			found.push(...(page.traces ?? page.spans))
			if (!page.next_cursor) return found
			cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
		}
	}
	expect((await pages('/traces')).map(({ name, spans }) => [name, spans])).toEqual([
		['newest', 1],
		['long', 2],
		['oldest', 1],
		['a day before', 1],
	])
	const names = ['of long', 'newest', 'long', 'oldest', 'a day before']
	expect((await pages('/spans')).map(({ name }) => name)).toEqual(names)
	const all = (await get('old', '/traces?start=-3d&attribute=region%3Deu')).json()
	expect(all.traces.map(({ name }: { name: string }) => name)).toEqual([
		...['newest', 'long', 'oldest', 'a day before'],
	])
})

test('resources show who sent something, how much and when', async () => {
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
	expect((await get('nobody', '/resources')).json()).toEqual({ resources: [], next_cursor: null })
})
