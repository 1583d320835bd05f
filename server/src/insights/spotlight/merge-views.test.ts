import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hashOfArguments } from '../../platform/arguments-hash.ts'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { spanInsert } from '../../telemetry/blocks/native.testing.ts'
import {
	type AttributeValue,
	encodeExchange,
	exchangeColumnNames,
	newSpanRow,
	type SpanRow,
} from '../../telemetry/index.ts'
import { listAmbiguous } from './ambiguous-repository.ts'
import { readOverview } from './breakdowns.ts'
import { getCallViews } from './call-views/call-views.ts'
import { startJoinedStore } from './joined-store.testing.ts'

let started: TestStore
beforeAll(async () => {
	started = await startJoinedStore()
})
afterAll(() => started.close())
beforeEach(() => started.store.command('TRUNCATE TABLE spans'))

const startMs = 1_790_000_000_000
const range = { startMs, endMs: startMs + 60 * 60 * 1000 }
let spans = 0

type Fields = Partial<Omit<SpanRow, 'attributes'>> & {
	atMs?: number
	ms?: number
	attributes?: Record<string, AttributeValue>
}

/** A view of a call in a trace of its own. */
function view({ atMs = 1000, ms = 10, attributes = {}, ...fields }: Fields): SpanRow {
	const id = (++spans).toString(16)
	return newSpanRow({
		workspaceId: 'w1',
		traceId: id.padStart(32, '0'),
		spanId: id.padStart(16, '0'),
		name: 'tools/call search',
		source: 'otlp',
		kind: 'tool_call',
		toolName: 'search',
		status: 'ok',
		startNs: BigInt(startMs + atMs) * 1_000_000n,
		durationNs: BigInt(ms * 1000) * 1000n,
		attributes: new Map(Object.entries(attributes)),
		...fields,
	})
}
const client = (fields: Fields = {}) => view({ otlpKind: 3, ms: 30, ...fields })
const gateway = (fields: Fields = {}) =>
	view({ source: 'gateway', otlpKind: 2, ms: 20, serverName: 'Docs', ...fields })
const server = (fields: Fields = {}) => view({ otlpKind: 2, ms: 10, serviceName: 'docs', ...fields })
const request = (session: string, id: string) => ({ 'mcp.session.id': session, 'jsonrpc.request.id': id })

async function callsOf(...rows: SpanRow[]): Promise<number> {
	await started.store.insertRowBinary({
		...spanInsert(rows),
		deduplicationToken: `b${++spans}`,
	})
	return (await readOverview(started.store, 'w1', range)).calls
}

describe('views in different traces are one call', () => {
	test("by request id and session, although the clocks differ by minutes; the gateway's is counted", async () => {
		const views = [
			client({ toolName: 'docs__search', attributes: request('abc.secret', '7') }),
			gateway({ atMs: 300_000, attributes: request('abc', '7') }),
		]
		expect(await callsOf(...views)).toBe(1)
		expect(await readOverview(started.store, 'w1', range)).toMatchObject({ latency_ms: { p50: 20 } })
		expect(await callsOf(client({ attributes: request('abc.secret', '8') }))).toBe(2)
	})

	test('by tool-use id, with everything that belongs to each in its own trace', async () => {
		const id = { 'gen_ai.tool.call.id': 'toolu_01A09q90qw90lq917835' }
		const agent = client({ otlpKind: 1, ms: 40, attributes: id })
		const sent = client({ traceId: agent.traceId, parentSpanId: agent.spanId })
		const served = server({ attributes: id })
		const inside = view({ otlpKind: 1, traceId: served.traceId, parentSpanId: served.spanId })
		expect(await callsOf(agent, sent, gateway({ attributes: id }), served, inside)).toBe(1)
	})

	test('by that id, although a program recorded two views and only one of them names the tool', async () => {
		const id = { 'gen_ai.tool.call.id': 'toolu_01B09q90qw90lq917835' }
		const step = { parentSpanId: 'a'.repeat(16), attributes: id, otlpKind: 1 }
		const span = view({ ...step, ms: 40, toolName: 'mcp__docs__search', scopeName: 'traces' })
		const log = view({
			...step,
			traceId: span.traceId,
			atMs: 1004,
			ms: 30,
			toolName: '',
			scopeName: 'events',
		})
		expect(await callsOf(span, log, gateway({ atMs: 1008, attributes: id }))).toBe(1)
		expect(await readOverview(started.store, 'w1', range)).toMatchObject({ ambiguous_calls: 0 })
	})

	test('by that id in one trace, although the log of each result is written after its span has ended', async () => {
		const root = 'f'.repeat(32)
		const uses = ['A', 'B'].flatMap((letter, at) => {
			const attributes = { 'gen_ai.tool.call.id': `toolu_01${letter}09q90qw90lq917835` }
			const shared = { traceId: root, toolName: 'Bash', otlpKind: 1, attributes } as const
			const span = view({ ...shared, atMs: 1000 + at, ms: 271, scopeName: 'traces' })
			return [span, view({ ...shared, atMs: 1119 + at, ms: 205, scopeName: 'events' })]
		})
		expect(await callsOf(...uses)).toBe(2)
		expect(await readOverview(started.store, 'w1', range)).toMatchObject({ ambiguous_calls: 0 })
	})

	test("by the server's name and the time; the server's takes precedence over the client's", async () => {
		const named = { attributes: { 'mcp.server.name': 'Docs' } }
		expect(await callsOf(client({ atMs: 60_000, ...named }), server({ atMs: 58_000 }))).toBe(1)
		expect(await readOverview(started.store, 'w1', range)).toMatchObject({ latency_ms: { p50: 10 } })
		expect(await callsOf(gateway(), server({ atMs: 4000 }))).toBe(2)
	})

	test("the model proxy's call and the SDK's, by the answer's id", async () => {
		const answered = {
			kind: 'model_call',
			toolName: '',
			attributes: { 'gen_ai.response.id': 'chatcmpl-9f8e7d6c5b4a' },
		} as const
		expect(await callsOf(client(answered), gateway({ ...answered, source: 'model_proxy' }))).toBe(1)
	})
})

describe("a framework's span around a tool is a view of the gateway's call", () => {
	const step = (fields: Fields) =>
		view({ otlpKind: 1, ms: 40, scopeName: 'ai', sessionId: 'chat', ...fields })
	const sent = (given: object, fields: Fields = {}) =>
		gateway({ attributes: { 'signalbox.arguments_hash': hashOfArguments(given, 'w1') }, ...fields })
	const userOf = async (session: string) =>
		(await readOverview(started.store, 'w1', range, { session })).calls

	test('of simultaneous calls, it is the one with the same arguments, whichever came first', async () => {
		const steps = ['rome', 'oslo'].map((city, at) =>
			step({
				...{ atMs: 1000 + at, sessionId: city },
				attributes: { 'ai.toolCall.args': `{ "city": "${city}" }` },
			}),
		)
		const calls = ['oslo', 'rome'].map((city, at) =>
			sent({ city }, { atMs: 1010 + at, status: city === 'oslo' ? 'error' : 'ok' }),
		)
		expect(await callsOf(...steps, ...calls)).toBe(2)
		expect(await readOverview(started.store, 'w1', range, { session: 'oslo' })).toMatchObject({
			...{ calls: 1, errors: 1, ambiguous_calls: 0 },
		})
		expect(await readOverview(started.store, 'w1', range, { session: 'rome' })).toMatchObject({ errors: 0 })
	})

	test('by tool use, whose arguments are in the answer through the proxy', async () => {
		const ids = ['toolu_01A09q90qw90lq917835', 'toolu_01A09q90qw90lq917836']
		const cities = ['rome', 'oslo']
		await started.store.insertRowBinary({
			table: 'exchanges',
			columns: exchangeColumnNames,
			rows: encodeExchange(
				{
					...{
						workspaceId: 'w1',
						traceId: 'c'.repeat(32),
						spanId: 'c'.repeat(16),
						sessionId: '',
						userId: '',
					},
					startNs: BigInt(startMs) * 1_000_000n,
					...{ parts: [], results: [], cacheMarks: 0, cacheSeconds: 0 },
					toolUses: ids.map((id, at) => ({
						...{ id, name: 'search', argumentsHash: hashOfArguments({ city: cities[at] }, 'w1') },
					})),
				},
				30,
			),
			deduplicationToken: 'uses',
		})
		const steps = ids.map((id, at) =>
			step({
				...{ atMs: 1000 + at, sessionId: cities[at] as string },
				attributes: { 'gen_ai.tool.call.id': id },
			}),
		)
		const calls = ['oslo', 'rome'].map((city, at) =>
			sent({ city }, { atMs: 1010 + at, status: city === 'oslo' ? 'error' : 'ok' }),
		)
		expect(await callsOf(...steps, ...calls)).toBe(2)
		expect(await userOf('oslo')).toBe(1)
		expect(await readOverview(started.store, 'w1', range, { session: 'oslo' })).toMatchObject({ errors: 1 })
	})
})

describe('nothing is guessed:', () => {
	test('parallel calls that nothing distinguishes are each counted once', async () => {
		const three = [server({ atMs: 1002 }), server({ atMs: 1003 }), server({ atMs: 1004 })]
		const passed = [gateway(), gateway({ atMs: 1001 })]
		expect(await callsOf(...passed, ...three.slice(1))).toBe(2)
		expect(await readOverview(started.store, 'w1', range)).toMatchObject({ ambiguous_calls: 2 })
		expect(await readOverview(started.store, 'w1', range, { tool: 'fetch' })).toMatchObject({
			ambiguous_calls: 0,
		})
		const { ambiguous, total } = await listAmbiguous(started.store, 'w1', range, { limit: 1 })
		const last = three[2] as SpanRow
		expect([total, ambiguous]).toMatchObject([
			2,
			[{ tool: 'search', span_id: last.spanId, may_be: { span_id: passed[1]?.spanId } }],
		])
		const place = { trace_id: last.traceId, span_id: last.spanId }
		const { views } = await getCallViews(started.store, 'w1', place)
		expect(views.find(({ span_id }) => span_id === last.spanId)).toMatchObject({
			...{ is_counted: false, is_ambiguous: true },
		})
		expect(await callsOf(...three.slice(0, 1))).toBe(3)
	})

	test('parallel identical calls with different ids are distinguished', async () => {
		const pairs = ['1', '2', '3'].flatMap((id) => [
			client({ attributes: request('abc.secret', id) }),
			gateway({ attributes: request('abc', id) }),
		])
		expect(await callsOf(...pairs)).toBe(3)
	})

	test.each([
		['another tool', server({ toolName: 'fetch' })],
		['another server', server({ serviceName: 'weather' })],
		['over five seconds away', server({ atMs: 6001 })],
		['longer than the call around it', server({ ms: 21.5 })],
		['another gateway’s call', gateway({ serverName: 'Docs' })],
	])('%s is another call', async (_, other) => {
		expect(await callsOf(gateway(), other)).toBe(2)
	})
})

describe('one call as recorded by its sides', () => {
	const viewsOf = ({ traceId, spanId }: SpanRow) =>
		getCallViews(started.store, 'w1', { trace_id: traceId, span_id: spanId })

	test('has the time of each side and the gaps between them, whichever span is requested', async () => {
		const agent = client({ otlpKind: 1, ms: 40 })
		const sent = client({
			...{ traceId: agent.traceId, parentSpanId: agent.spanId, atMs: 1002, toolName: 'docs__search' },
			attributes: request('abc.secret', '7'),
		})
		const passed = gateway({ atMs: 1007, attributes: request('abc', '7') })
		// Its clock is three seconds ahead.
		const served = server({ atMs: 4011 })
		expect(await callsOf(agent, sent, passed, served, server({ atMs: 30_000 }))).toBe(2)
		const answer = await viewsOf(passed)
		expect(answer).toMatchObject({
			...{ kind: 'tool_call', tool: 'search' },
			views: [
				{ side: 'client', span_id: sent.spanId, confidence: 'exact', starts_after_ms: 0, is_counted: false },
				{
					side: 'gateway',
					span_id: passed.spanId,
					confidence: 'exact',
					starts_after_ms: 5,
					is_counted: true,
				},
				{ side: 'server', confidence: 'strong', starts_after_ms: 10, clock_offset_ms: 2999, duration_ms: 10 },
			],
			between: [
				{ outer: 'client', inner: 'gateway', duration_ms: 10 },
				{ outer: 'gateway', inner: 'server', duration_ms: 10 },
			],
		})
		for (const row of [agent, sent, served]) {
			const { tool, views } = await viewsOf(row)
			expect(tool).toBe('search')
			expect(views.map(({ span_id }) => span_id)).toEqual(answer.views.map(({ span_id }) => span_id))
		}
	})

	test('within one trace, without a step inside the server', async () => {
		const sent = client()
		const passed = gateway({ traceId: sent.traceId, parentSpanId: sent.spanId })
		const served = server({ traceId: sent.traceId, parentSpanId: passed.spanId })
		const inside = view({ otlpKind: 1, ms: 5, traceId: sent.traceId, parentSpanId: served.spanId })
		await callsOf(sent, passed, served, inside)
		const { views } = await viewsOf(inside)
		expect(views.map(({ span_id, confidence }) => [span_id, confidence])).toEqual(
			[sent, passed, served].map(({ spanId }) => [spanId, 'exact']),
		)
	})

	test('shows matches by time only, and counts them separately', async () => {
		const [passed, served] = [gateway(), server({ serviceName: 'other name' })]
		expect(await callsOf(passed, served)).toBe(2)
		expect((await viewsOf(passed)).views).toMatchObject([
			{ side: 'gateway', confidence: 'exact', is_counted: true },
			{ side: 'server', confidence: 'weak', is_counted: false },
		])
	})

	test('is not found for a span that is not a call, or is not stored', async () => {
		const other = view({ kind: 'mcp' })
		await callsOf(other)
		await expect(viewsOf(other)).rejects.toThrow('call')
		await expect(viewsOf({ ...other, traceId: 'x' })).rejects.toThrow('call')
	})
})
