import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { spanInsert } from '../../telemetry/blocks/native.testing.ts'
import { encodeExchange, exchangeColumnNames, newSpanRow, type SpanRow } from '../../telemetry/index.ts'
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

const silent = { usageSource: 'missing', costNanoUsd: null } as const
const reported = { usageSource: 'reported', inputTokens: 7, costNanoUsd: 9n } as const

function asked(fields: Partial<SpanRow>): SpanRow {
	const id = (++spans).toString(16)
	return newSpanRow({
		...{ workspaceId: 'w1', traceId: id.padStart(32, '0'), spanId: id.padStart(16, '0') },
		...{ name: 'chat', source: 'otlp', kind: 'model_call', status: 'ok', otlpKind: 3 },
		...{ startNs: BigInt(startMs + 1000) * 1_000_000n, durationNs: 10_000_000n },
		...fields,
	})
}
const below = ({ traceId, spanId }: SpanRow, fields: Partial<SpanRow>) =>
	asked({ traceId, parentSpanId: spanId, ...fields })

async function store(...rows: SpanRow[]): Promise<void> {
	await started.store.insertRowBinary({
		...spanInsert(rows),
		deduplicationToken: `u${++spans}`,
	})
}

const outer = asked(silent)
const ofProxy = { source: 'model_proxy', otlpKind: 2, ...reported } as const
test.each<[string, SpanRow[], object]>([
	['the inner one, where the outer one reports no usage', [outer, below(outer, reported)], { input: 7 }],
	['the outer one, where neither does', [outer, below(outer, silent)], { input: 0 }],
	['one of three', [outer, below(outer, reported), below(outer, silent)], { input: 7 }],
	['what the proxy recorded, beside both', [outer, below(outer, ofProxy)], { input: 7 }],
])('of the views of a model call, %s is counted', async (_name, rows, tokens) => {
	await store(...rows)
	expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls: 1, model_calls: 1, tokens })
})

test('calls that one library records side by side in a trace are separate, except those with the same answer id', async () => {
	const [first, second] = ['first', 'second'].map(
		(id) => new Map([['gen_ai.response.id', `${id}-0123456789abcdef`]]),
	)
	const root = asked({ kind: 'other' })
	await store(
		root,
		...[first, first, second].map((attributes) =>
			below(root, { ...reported, ...(attributes && { attributes }) }),
		),
	)
	expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls: 2, tokens: { input: 14 } })
})

test.each(['output.value', 'gen_ai.completion'])(
	"LangChain's answer, in %s, has the same id as the one that its client reports in another trace",
	async (name) => {
		const metadata = { id: 'msg_0123456789abcdef', usage: {} }
		const answer = { generations: [[{ message: { kwargs: { response_metadata: metadata } } }]] }
		const framework = new Map([[name, JSON.stringify(answer)]])
		const client = new Map([['gen_ai.response.id', metadata.id]])
		await store(asked({ ...reported, attributes: framework }), asked({ ...reported, attributes: client }))
		expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls: 1, tokens: { input: 7 } })
	},
)

test('the outer one is counted if both report their usage', async () => {
	const both = asked({ ...reported, inputTokens: 5 })
	await store(both, below(both, reported))
	expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls: 1, tokens: { input: 5 } })
})

test.each([{ cacheReadTokens: 3 }, { cacheWriteTokens: 3 }, { reasoningTokens: 3 }])(
	'the inner one is counted if only it reports usage details: %o',
	async (parts) => {
		const sums = asked({ ...reported, inputTokens: 10 })
		await store(sums, below(sums, { ...reported, ...parts, scopeName: 'a client' }))
		expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls: 1, tokens: { input: 7 } })
	},
)

test('calls that a library leaves below the one before, which has ended, are separate, each with its client', async () => {
	const at = (atMs: number) => BigInt(startMs + atMs) * 1_000_000n
	const ofChain = { ...silent, scopeName: 'langchain' }
	const stream = asked({ ...ofChain, startNs: at(1000) })
	const next = below(stream, { ...ofChain, startNs: at(1011) })
	const ofClient = below(next, {
		...reported,
		scopeName: 'a client',
		startNs: at(1012),
		durationNs: 5_000_000n,
	})
	const last = below(next, { ...ofChain, startNs: at(1022) })
	await store(stream, next, ofClient, last)
	expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls: 3, tokens: { input: 7 } })
	// A client that begins when the span of the stream has ended may be that of the stream.
	await store(below(last, { ...reported, scopeName: 'a client', startNs: at(1040) }))
	expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls: 3, tokens: { input: 14 } })
})

test('a view without usage around one that is also recorded in another trace is still one call', async () => {
	const attributes = new Map([['gen_ai.response.id', 'chatcmpl-0123456789abcdef']])
	const sent = below(outer, { ...reported, attributes })
	await store(outer, sent, asked({ ...ofProxy, attributes }))
	expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls: 1, tokens: { input: 7 } })
	const { views } = await getCallViews(started.store, 'w1', { trace_id: sent.traceId, span_id: sent.spanId })
	expect(views.map(({ side }) => side)).toEqual(['client', 'gateway'])
})

describe('views whose clocks differ by seconds', () => {
	const at = (atMs: number, fields: Partial<SpanRow> = {}) =>
		asked({ ...reported, model: 'm', startNs: BigInt(startMs + atMs) * 1_000_000n, ...fields })
	const proxied = (atMs: number, fields: Partial<SpanRow> = {}) =>
		at(atMs, { ...ofProxy, model: 'm', ...fields })
	const library = (atMs: number, sessionId: string, answer = '') =>
		at(atMs, {
			...{ scopeName: 'lib', durationNs: 12_000_000n, sessionId },
			attributes: answer
				? new Map([
						[
							'gen_ai.output.messages',
							JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: answer }] }]),
						],
					])
				: new Map(),
		})
	const answered = async (span: SpanRow, text: string) => {
		const part = (++spans).toString(16).padStart(32, '0')
		await started.store.insertRowBinary({
			...{ table: 'exchanges', columns: exchangeColumnNames, deduplicationToken: `e${++spans}` },
			rows: encodeExchange(
				{
					...{ ...span, toolUses: [], results: [], cacheMarks: 0, cacheSeconds: 0 },
					parts: [{ kind: 'answer', name: 'assistant', hash: part, bytes: 10 }],
				},
				30,
			),
		})
		await started.store.command(
			`INSERT INTO messages (workspace_id, retention_days, recorded_at, hash, text)
			SELECT 'w1', 30, fromUnixTimestamp64Nano({at:Int64}, 'UTC'), unhex({hash:String}), {text:String}`,
			{
				...{ at: String(span.startNs), hash: part },
				text: JSON.stringify({ role: 'assistant', content: [{ type: 'text', text }] }),
			},
		)
	}
	const figures = async (filter: object = {}) => {
		const { calls, cost_nano_usd, ambiguous_calls } = await readOverview(started.store, 'w1', range, filter)
		return [calls, Number(cost_nano_usd), ambiguous_calls]
	}

	test('are one call by their model and tokens, if there is only one candidate', async () => {
		await store(proxied(5000), library(7500, 's'))
		expect(await figures()).toEqual([1, 9, 0])
		expect(await figures({ session: 's' })).toEqual([1, 9, 0])
	})

	test("are distinguished by the answer's content, whichever came first", async () => {
		const [rome, oslo] = [proxied(5000, { costNanoUsd: 1n }), proxied(5300, { costNanoUsd: 2n })]
		await answered(rome, 'It is  sunny in Rome.')
		await answered(oslo, 'It snows in Oslo.')
		await store(
			rome,
			oslo,
			library(3000, 'oslo', 'It snows in Oslo.'),
			library(3100, 'rome', 'It is sunny in Rome.'),
		)
		expect(await figures()).toEqual([2, 3, 0])
		expect(await figures({ session: 'oslo' })).toEqual([1, 2, 0])
		expect(await figures({ session: 'rome' })).toEqual([1, 1, 0])
	})

	test('are two calls if their answers differ', async () => {
		const call = proxied(5000)
		await answered(call, 'yes')
		await store(call, library(3000, 's', 'no'))
		expect(await figures()).toEqual([2, 18, 0])
	})

	test('are in no sum twice, and are listed as ambiguous, if nothing distinguishes them', async () => {
		await store(proxied(5000), proxied(5200), library(7000, 'a'), library(7200, 'b'))
		expect(await figures()).toEqual([2, 18, 2])
	})

	test.each([
		['six seconds', 11_001, 12],
		['three seconds more than the call', 6000, 3020],
	])('are two calls if %s lie between them', async (_name, atMs, ms) => {
		await store(proxied(5000), { ...library(atMs, 's'), durationNs: BigInt(ms) * 1_000_000n })
		expect(await figures()).toEqual([2, 18, 0])
	})
})

const ns = (ms: number) => BigInt(ms) * 1_000_000n
/** As LangChain and the proxy record a stream of Gemini that its reader has left. */
const left: Partial<SpanRow> = {
	scopeName: 'openinference.instrumentation.langchain',
	...{
		status: 'error',
		errorType: 'GeneratorExit',
		modelRequested: 'gemini-2.5-flash',
		model: 'gemini-2.5-flash',
	},
	...{
		usageSource: 'reported',
		inputTokens: 400,
		cacheReadTokens: 600,
		outputTokens: 12,
		reasoningTokens: 20,
	},
	durationNs: ns(356),
}
const interrupted: Partial<SpanRow> = {
	...{ source: 'model_proxy', otlpKind: 2, status: 'interrupted', errorType: 'client_disconnected' },
	...{ modelRequested: 'gemini-2.5-flash', model: 'gemini-2.5-flash', startNs: ns(startMs + 1004) },
	...{ usageSource: 'estimated', inputTokens: 9, outputTokens: 4, durationNs: ns(340) },
}
const brokenOff: Partial<SpanRow> = { ...interrupted, status: 'error', errorType: 'upstream_reset' }
test.each<[string, Partial<SpanRow>, Partial<SpanRow>, number]>([
	['that was left', {}, interrupted, 1],
	['that broke off', {}, brokenOff, 1],
	['that was left, and a whole answer', { status: 'ok', errorType: '' }, interrupted, 2],
	['that was left, and a call that was answered', {}, { ...interrupted, status: 'ok' }, 2],
	['that was left, and one of another model', { modelRequested: 'm', model: 'm' }, interrupted, 2],
	['that broke off, and one a second later', {}, { ...brokenOff, startNs: ns(startMs + 2000) }, 2],
])(
	'a stream %s: a library and the proxy, with different tokens, record %o and %o as %d',
	async (_what, ofLibrary, proxied, calls) => {
		await store(asked({ ...left, ...ofLibrary }), asked(proxied))
		expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls, model_calls: calls })
	},
)

/** As AG2 and OpenInference for smolagents report a call that failed: without its model. */
const unnamed: Partial<SpanRow> = {
	...{ ...silent, scopeName: 'a library', status: 'error', errorType: 'RateLimitError' },
	durationNs: ns(80),
}
const refused: Partial<SpanRow> = {
	...{ source: 'model_proxy', otlpKind: 2, ...silent, status: 'error', errorType: 'rate_limit_error' },
	...{ modelRequested: 'gpt-5', startNs: ns(startMs + 1010), durationNs: ns(50) },
}
test.each<[string, Partial<SpanRow>, Partial<SpanRow>, number]>([
	['of a call that the provider refused', {}, refused, 1],
	['of a call that the proxy refused', {}, { ...refused, status: 'denied' }, 1],
	['of another call, which was answered', {}, { ...refused, status: 'ok', errorType: '' }, 2],
	['of another call, a second later', {}, { ...refused, startNs: ns(startMs + 2000) }, 2],
	['that has not failed', { status: 'unset', errorType: '' }, refused, 2],
	['that names another model', { modelRequested: 'gpt-4' }, refused, 2],
])(
	"a library's span without a model and the proxy's record %s: %o and %o are %d",
	async (_what, ofLibrary, proxied, calls) => {
		await store(asked({ ...unnamed, ...ofLibrary }), asked(proxied))
		expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls, model_calls: calls })
	},
)

test("OpenInference has the id of Gemini's answer in the answer, also of a stream that its reader left", async () => {
	const id = 'qoLxGc8LqEewrM3DzmzZXMMH'
	const answer = { candidates: [], usage_metadata: { candidates_token_count: 12 }, response_id: id }
	const scopeName = 'openinference.instrumentation.google_genai'
	const attributes = new Map([['output.value', JSON.stringify(answer)]])
	await store(
		asked({ ...left, scopeName, attributes, status: 'unset', errorType: '' }),
		asked({ ...interrupted, attributes: new Map([['gen_ai.response.id', id]]) }),
	)
	expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls: 1, model_calls: 1 })
})

/** As OpenInference for Agno, and the proxy, record an answer of Gemini: the library leaves its thoughts out. */
const withoutThoughts: Partial<SpanRow> = {
	...{ ...left, scopeName: 'openinference.instrumentation.agno', status: 'ok', errorType: '' },
	...{ outputTokens: 30, reasoningTokens: 0 },
}
const withThoughts: Partial<SpanRow> = {
	...{ ...interrupted, status: 'ok', errorType: '', usageSource: 'reported', model: 'gemini-2.5-flash-001' },
	...{ inputTokens: 400, cacheReadTokens: 600, outputTokens: 30, reasoningTokens: 20 },
}
test.each<[string, Partial<SpanRow>, Partial<SpanRow>, number]>([
	['the same answer', {}, withThoughts, 1],
	['an answer with as many thoughts as the output differs', { outputTokens: 50 }, withThoughts, 1],
	['an answer with another output', { outputTokens: 40 }, withThoughts, 2],
	['an answer that began a second later', {}, { ...withThoughts, startNs: ns(startMs + 2000) }, 2],
	['one of another model', { modelRequested: 'm', model: 'm' }, withThoughts, 2],
])(
	"a library's span without reasoning tokens and the proxy's record of %s: %o and %o are %d",
	async (_what, ofLibrary, proxied, calls) => {
		await store(asked({ ...withoutThoughts, ...ofLibrary }), asked(proxied))
		expect(await readOverview(started.store, 'w1', range)).toMatchObject({ calls, model_calls: calls })
	},
)
