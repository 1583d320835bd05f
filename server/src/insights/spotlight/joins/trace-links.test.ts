import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashOfArguments } from '../../../platform/arguments-hash.ts'
import { systemClock } from '../../../platform/clock.ts'
import { spanInsert } from '../../../telemetry/blocks/native.testing.ts'
import { encodeExchange, exchangeColumnNames, newSpanRow, type SpanRow } from '../../../telemetry/index.ts'
import { startTelemetryServer, type TelemetryServer } from '../../../telemetry/testing.ts'
import { Joiner } from './join-arrived.ts'
import { joinStretch } from './join-spans.ts'

let server: TelemetryServer
let joiner: Joiner
beforeAll(async () => {
	server = await startTelemetryServer()
	joiner = new Joiner(server.store, systemClock)
})
afterAll(() => server.close())

const startMs = Date.now() - 60_000
let inserts = 0
const idOf = (letter: string) => letter.repeat(32)
const span = (workspaceId: string, letter: string, atMs: number, fields: Partial<SpanRow>): SpanRow =>
	newSpanRow({
		...{ workspaceId, traceId: idOf(letter), spanId: letter.repeat(16), name: letter, source: 'otlp' },
		...{ kind: 'tool_call', toolName: 'search', durationNs: 20_000_000n },
		startNs: BigInt(startMs + atMs) * 1_000_000n,
		...fields,
	})
const storeExchange = (exchange: Buffer) =>
	server.store.insertRowBinary({
		...{ table: 'exchanges', columns: exchangeColumnNames, rows: exchange },
		deduplicationToken: `l${++inserts}`,
	})
const storeSpans = (...rows: SpanRow[]) =>
	server.store.insertRowBinary({ ...spanInsert(rows), deduplicationToken: `l${++inserts}` })
type Answer = Record<'spans' | 'traces', { name: string; spans: number }[]> & {
	trace_ids: string[]
	next_cursor: string | null
}
const get = async (workspace: string, path: string) => {
	const headers = { authorization: `key ${workspace}` }
	return (await fetch(`${server.url}/v1/telemetry${path}`, { headers })).json() as Promise<Answer>
}

/**
 * A model's answer through the proxy that requests a tool, the gateway's call of that tool, and the framework's span around it. There
 * is no trace context.
 */
function recorded(
	workspace: string,
	attributes: Record<'gateway' | 'step', Record<string, string>>,
	names: Partial<SpanRow> = {},
) {
	const use = `toolu_${workspace}_0123456789`
	const attribute = (given: Record<string, string>) => new Map(Object.entries(given))
	const model = span(workspace, 'a', 0, { source: 'model_proxy', kind: 'model_call', toolName: '', ...names })
	const call = span(workspace, 'b', 1010, {
		...{ source: 'gateway', otlpKind: 2, sessionId: 'jane' },
		attributes: attribute(attributes.gateway),
	})
	const step = span(workspace, 'c', 1000, {
		...{ otlpKind: 1, scopeName: 'ai', durationNs: 40_000_000n },
		attributes: attribute({ 'ai.toolCall.id': use, ...attributes.step }),
	})
	const exchange = encodeExchange(
		{
			...{ ...model, parts: [], results: [], cacheMarks: 0, cacheSeconds: 0 },
			toolUses: [{ id: use, name: 'search', argumentsHash: hashOfArguments({ q: 1 }, workspace) }],
		},
		30,
	)
	return { model, call, step, use, exchange }
}

test.each([
	['answer-first', [0, 1, 2, 3]],
	['answer-last', [3, 2, 1, 0]],
])(
	'calls that are linked by a tool-use id are one trace, by each of its ids and in the list (%s)',
	async (workspace, order) => {
		const { model, call, step, exchange } = recorded(workspace, {
			gateway: { 'signalbox.arguments_hash': hashOfArguments({ q: 1 }, workspace) },
			step: {},
		})
		const other = span(workspace, 'd', 2000, { toolName: 'other' })
		const steps = [
			() => storeSpans(model),
			() => storeExchange(exchange),
			() => storeSpans(call, other),
			() => storeSpans(step),
		]
		for (const at of order) {
			await steps[at]?.()
			await joiner.join()
		}
		const ids = ['a', 'b', 'c'].map(idOf)
		for (const id of ids) {
			const trace = await get(workspace, `/traces/${id}`)
			expect(trace).toMatchObject({ trace_id: id, trace_ids: ids })
			expect(trace.spans.map(({ name }) => name)).toEqual(['a', 'c', 'b'])
		}
		expect((await get(workspace, `/traces/${idOf('d')}`)).trace_ids).toEqual([idOf('d')])
		const { traces } = await get(workspace, '/traces')
		expect(traces).toMatchObject([
			{ trace_id: idOf('d'), spans: 1, trace_ids: [idOf('d')] },
			{ trace_id: idOf('a'), spans: 3, duration_ms: 1040, session_id: 'jane' },
		])
		const filtered = await get(workspace, '/traces?filter=tool%3Dsearch')
		expect(filtered.traces).toMatchObject([{ trace_id: idOf('a'), spans: 3 }])
		const pages = [await get(workspace, '/traces?limit=1')]
		while (pages.at(-1)?.next_cursor && pages.length < 9)
			pages.push(await get(workspace, `/traces?limit=1&cursor=${pages.at(-1)?.next_cursor}`))
		expect(pages.flatMap((page) => page.traces.map(({ spans }) => spans))).toEqual([1, 3])
	},
)

test.each([
	['named', [0, 1, 2], 'chat', 'ann'],
	['named-late', [2, 1, 0], 'chat', 'ann'],
	['inferred', [0, 1, 2], 'inferred:1', 'ann'],
	['other-use', [0, 1, 2], 'chat', 'ann'],
	['client-says', [0, 1, 2], 'chat', 'ann'],
] as const)(
	'a tool call whose client names no session is in that of the model call that requested it (%s)',
	async (workspace, order, sessionId, userId) => {
		const { model, call, use, exchange } = recorded(
			workspace,
			{ gateway: {}, step: {} },
			{ sessionId, userId },
		)
		const named = workspace === 'other-use' ? `${use}-other` : use
		const own = workspace === 'client-says' ? 'own' : ''
		const tool: SpanRow = {
			...call,
			...{ sessionId: own, source: own ? 'otlp' : 'gateway', userId: '' },
			attributes: new Map([['gen_ai.tool.call.id', named]]),
		}
		const steps = [() => storeSpans(model), () => storeExchange(exchange), () => storeSpans(tool)]
		for (const at of order) {
			await steps[at]?.()
			await joiner.join()
		}
		const spansOf = async (id: string) =>
			(await get(workspace, `/spans?calls=counted&session_id=${encodeURIComponent(id)}`)).spans.map(
				({ name }) => name,
			)
		const isTaken = workspace.startsWith('named')
		expect(await spansOf(sessionId)).toEqual(isTaken ? ['b', 'a'] : ['a'])
		if (own) expect(await spansOf(own)).toEqual(['b'])
		const ofUser = (await get(workspace, `/spans?calls=counted&user_id=${userId}`)).spans.map(
			({ name }) => name,
		)
		expect(ofUser).toEqual(workspace === 'other-use' ? ['a'] : own ? ['a'] : ['b', 'a'])
		// Joining the hours again finds the same.
		const hour = 3_600_000
		const range = { startMs: startMs - hour, endMs: startMs + hour }
		expect(await joinStretch(server.store, workspace, range)).toBe(0)
	},
)
