import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toDecimalUsd } from '../../ledger/ledger.ts'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { chooseInterval } from '../../platform/time-range.ts'
import { spanInsert } from '../../telemetry/blocks/native.testing.ts'
import { newSpanRow, type SpanRow } from '../../telemetry/index.ts'
import { readFigures, readOverview, readWindows } from './breakdowns.ts'
import { startJoinedStore } from './joined-store.testing.ts'
import { readTimeseries } from './timeseries.ts'

let started: TestStore
beforeAll(async () => {
	started = await startJoinedStore()
})
afterAll(() => started.close())
beforeEach(() => started.store.command('TRUNCATE TABLE spans'))

const startMs = 1_790_000_000_000
const range = { startMs, endMs: startMs + 60 * 60 * 1000 }
let spans = 0
let batches = 0

function span(fields: Partial<SpanRow>): SpanRow {
	const spanId = (++spans).toString(16).padStart(16, '0')
	return newSpanRow({
		workspaceId: 'w1',
		traceId: 'a'.repeat(32),
		spanId,
		name: 'n',
		source: 'otlp',
		kind: 'tool_call',
		status: 'ok',
		startNs: BigInt(startMs + 1000) * 1_000_000n,
		durationNs: 1_000_000n,
		...fields,
	})
}

function store(...rows: SpanRow[]): Promise<void> {
	return started.store.insertRowBinary({
		...spanInsert(rows),
		deduplicationToken: `b${++batches}`,
	})
}

const overview = (workspaceId = 'w1', given = range) => readOverview(started.store, workspaceId, given)

describe('the overview', () => {
	test('of no calls has no invented figures', async () => {
		expect(await overview()).toEqual({
			start: '2026-09-21T14:13:20.000Z',
			end: '2026-09-21T15:13:20.000Z',
			calls: 0,
			errors: 0,
			error_rate: null,
			latency_ms: { p50: null, p95: null, p99: null },
			tool_calls: 0,
			model_calls: 0,
			tokens: { input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0 },
			cost_nano_usd: '0',
			cost_usd: '0',
			unpriced_calls: 0,
			sessions: 0,
			users: 0,
			ambiguous_calls: 0,
		})
	})

	test('has exact figures', async () => {
		const other = (n: number) => ({ traceId: String(n).repeat(32) })
		await store(
			...Array.from({ length: 100 }, (_, i) =>
				span({
					...other(1),
					source: 'gateway',
					durationNs: BigInt(i + 1) * 1_000_000n,
					sessionId: `s${i % 3}`,
					userId: `u${i % 2}`,
				}),
			),
			span({ ...other(2), source: 'gateway', status: 'denied', durationNs: 50_000_000n }),
			span({ ...other(3), source: 'gateway', status: 'interrupted' }),
			span({
				...other(4),
				source: 'model_proxy',
				kind: 'model_call',
				costNanoUsd: 9_007_199_254_740_993n,
				durationNs: 50_000_000n,
				inputTokens: 1,
				cacheReadTokens: 2,
				cacheWriteTokens: 3,
				outputTokens: 4,
				reasoningTokens: 5,
			}),
			span({
				...other(5),
				source: 'model_proxy',
				kind: 'model_call',
				status: 'error',
				durationNs: 50_000_000n,
			}),
			span({ ...other(6), kind: 'mcp', sessionId: 'listing' }),
			span({ ...other(7), kind: 'other' }),
		)
		expect(await overview()).toMatchObject({
			calls: 104,
			errors: 3,
			error_rate: 3 / 104,
			tool_calls: 102,
			model_calls: 2,
			latency_ms: { p50: 50, p95: 95, p99: 99 },
			tokens: { input: 1, cache_read: 2, cache_write: 3, output: 4, reasoning: 5 },
			cost_nano_usd: '9007199254740993',
			cost_usd: '9007199.254740993',
			unpriced_calls: 1,
			sessions: 4,
			users: 2,
		})
	})

	test('includes the start of its range but not the end, and one workspace only', async () => {
		const at = (ms: number) => ({ startNs: BigInt(ms) * 1_000_000n })
		await store(span(at(startMs)), span(at(range.endMs - 1)), span(at(range.endMs)), span(at(startMs - 1)))
		await store(span({ workspaceId: 'w2' }))
		expect(await overview()).toMatchObject({ calls: 2 })
		expect(await overview('w2')).toMatchObject({ calls: 1 })
		expect(await overview('w3')).toMatchObject({ calls: 0 })
	})
})

describe('a call is counted once, however many sides recorded it:', () => {
	test('agent SDK → MCP client → HTTP → gateway → server', async () => {
		const agent = span({ toolName: 'docs__search' })
		const client = span({ toolName: 'docs__search', parentSpanId: agent.spanId })
		const http = span({ kind: 'other', parentSpanId: client.spanId })
		const gateway = span({
			source: 'gateway',
			toolName: 'search',
			parentSpanId: http.spanId,
			durationNs: 7_000_000n,
		})
		const server = span({ toolName: 'search', parentSpanId: gateway.spanId })
		await store(agent, client, http, gateway, server)
		expect(await overview()).toMatchObject({ calls: 1, latency_ms: { p50: 7 } })
	})

	test("the SDK's chat span and the model proxy's call", async () => {
		const chat = span({ kind: 'model_call', inputTokens: 10 })
		const http = span({ kind: 'other', parentSpanId: chat.spanId })
		const proxy = span({
			kind: 'model_call',
			source: 'model_proxy',
			parentSpanId: http.spanId,
			inputTokens: 10,
		})
		await store(chat, http, proxy)
		expect(await overview()).toMatchObject({ calls: 1, model_calls: 1, tokens: { input: 10 } })
	})

	test('without a gateway, the outermost view is counted', async () => {
		const agent = span({ toolName: 'search', durationNs: 9_000_000n })
		await store(agent, span({ toolName: 'search', parentSpanId: agent.spanId }))
		expect(await overview()).toMatchObject({ calls: 1, latency_ms: { p50: 9 } })
	})

	test('a view outside the range hides the one inside', async () => {
		const before = span({ source: 'gateway', toolName: 't', startNs: BigInt(startMs - 5) * 1_000_000n })
		await store(
			before,
			span({ toolName: 't', parentSpanId: before.spanId, startNs: BigInt(startMs) * 1_000_000n }),
		)
		expect(await overview()).toMatchObject({ calls: 0 })
	})

	test('while different calls stay separate: other tool, other trace, siblings, retries through the gateway', async () => {
		const parent = span({ source: 'gateway', toolName: 'plan' })
		const sdk = span({ toolName: 'search', parentSpanId: parent.spanId })
		await store(
			parent,
			sdk,
			span({ toolName: 'search', parentSpanId: parent.spanId }),
			span({ toolName: 'plan', traceId: 'b'.repeat(32), parentSpanId: parent.spanId }),
			span({ source: 'gateway', toolName: 'fetch', parentSpanId: parent.spanId }),
			span({ source: 'gateway', toolName: 'fetch', parentSpanId: parent.spanId }),
		)
		expect(await overview()).toMatchObject({ calls: 6 })
	})

	test('a span that is its own parent is still counted', async () => {
		const self = span({ toolName: 't' })
		await store({ ...self, parentSpanId: self.spanId }, span({ toolName: 'u' }))
		expect(await overview()).toMatchObject({ calls: 2 })
	})
})

describe('the figures of many windows', () => {
	const seconds = 1000
	const isLong = process.env.LONG_TESTS !== undefined
	test.each([
		['that overlap', { intervalMs: 20 * seconds, lengthMs: 60 * seconds, count: isLong ? 30 : 6 }],
		['side by side', { intervalMs: 45 * seconds, lengthMs: 45 * seconds, count: isLong ? 10 : 4 }],
		['with gaps between them', { intervalMs: 50 * seconds, lengthMs: 30 * seconds, count: isLong ? 10 : 4 }],
	])('%s equal those of each window by itself', async (_how, sizes) => {
		const at = (ms: number, fields: Partial<SpanRow>) =>
			span({ startNs: BigInt(startMs + ms) * 1_000_000n, traceId: `${++spans}`.padStart(32, '0'), ...fields })
		await store(
			...Array.from({ length: 200 }, (_, i) =>
				at(i * 7001, {
					...{ status: i % 3 === 0 ? 'error' : 'ok', kind: i % 2 === 0 ? 'tool_call' : 'model_call' },
					...{ durationNs: BigInt(i) * 1_000_000n, inputTokens: i, sessionId: `s${i % 5}` },
					costNanoUsd: i % 4 === 0 ? null : BigInt(i * 1_000_003),
				}),
			),
			// At the exact edges of windows.
			...[0, 20, 40, 45, 60, 80, 90].map((second) => at(second * seconds, { userId: 'edge' })),
		)
		const windows = { firstEndMs: startMs + 30 * seconds, ...sizes }
		for (const filter of [{}, { kind: 'model_call' as const }]) {
			const each = await Promise.all(
				Array.from({ length: windows.count }, (_, place) => {
					const endMs = windows.firstEndMs + place * windows.intervalMs
					return readFigures(started.store, 'w1', { startMs: endMs - windows.lengthMs, endMs }, filter)
				}),
			)
			expect(await readWindows(started.store, 'w1', windows, filter)).toEqual(each)
			expect(each.filter(({ calls }) => calls > 0).length).toBeGreaterThan(3)
		}
	})
})

describe('the time series', () => {
	test('has every bucket of the range and the same sums as the overview', async () => {
		const at = (ms: number, fields: Partial<SpanRow> = {}) =>
			span({ startNs: BigInt(startMs + ms) * 1_000_000n, source: 'gateway', ...fields })
		await store(at(0), at(29_999, { status: 'error' }), at(30_000, { kind: 'model_call' }), at(3_599_999))
		const { interval_ms, buckets } = await readTimeseries(started.store, 'w1', range)
		expect([interval_ms, buckets.length]).toEqual([30_000, 121])
		expect(buckets[0]).toEqual({
			start: '2026-09-21T14:13:00.000Z',
			calls: 1,
			errors: 0,
			tool_calls: 1,
			model_calls: 0,
			latency_ms: expect.objectContaining({ p95: expect.any(Number) }),
			total_tokens: 0,
			cost_nano_usd: '0',
			cost_usd: '0',
		})
		expect(buckets[1]).toMatchObject({ calls: 2, errors: 1, tool_calls: 1, model_calls: 1 })
		expect(buckets[2]?.latency_ms).toEqual({ p50: null, p95: null, p99: null })
		expect(buckets[120]).toMatchObject({ calls: 1 })
		expect(buckets.reduce((sum, { calls }) => sum + calls, 0)).toBe(4)
	})

	test('has the same buckets whenever it is queried: they begin at whole intervals of the clock', async () => {
		await store(span({ source: 'gateway', startNs: BigInt(startMs + 45_000) * 1_000_000n }))
		const of = async (shiftMs: number) => {
			const moved = { startMs: range.startMs + shiftMs, endMs: range.endMs + shiftMs }
			const { buckets } = await readTimeseries(started.store, 'w1', moved)
			return buckets.filter(({ calls }) => calls > 0).map(({ start }) => start)
		}
		expect(await of(7000)).toEqual(await of(0))
	})

	test('has the requested buckets, unless there are too many', async () => {
		await store(span({ source: 'gateway' }))
		const wanted = await readTimeseries(started.store, 'w1', range, {}, { intervalMs: 600_000 })
		expect([wanted.interval_ms, wanted.buckets.length, wanted.buckets[0]?.calls]).toEqual([600_000, 7, 1])
		await expect(readTimeseries(started.store, 'w1', range, {}, { intervalMs: 1000 })).rejects.toThrow(
			'interval_ms',
		)
	})

	test.each([1, 119, 120, 121, 86_400_000, 30 * 86_400_000, 400 * 86_400_000, 2 ** 42])(
		'has at most 120 buckets for %i ms',
		(lengthMs) => {
			expect(lengthMs / chooseInterval({ startMs: 0, endMs: lengthMs })).toBeLessThanOrEqual(120)
		},
	)
})

test.each([
	[0n, '0'],
	[1n, '0.000000001'],
	[1_234_500_000n, '1.2345'],
	[-1_000_000_001n, '-1.000000001'],
	[3_000_000_000n, '3'],
])('%s nano-dollars are %s dollars', (nano, usd) => {
	expect(toDecimalUsd(nano)).toBe(usd)
})
