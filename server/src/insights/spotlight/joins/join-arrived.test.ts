import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../platform/clock.ts'
import { spanInsert } from '../../../telemetry/blocks/native.testing.ts'
import { newSpanRow, type SpanRow } from '../../../telemetry/index.ts'
import { readOverview } from '../breakdowns.ts'
import { startJoinedStore } from '../joined-store.testing.ts'
import { createRandom, randomSpans, randomViews } from '../rollups/random-spans.testing.ts'
import { Joiner } from './join-arrived.ts'
import { joinStretch } from './join-spans.ts'

let started: Awaited<ReturnType<typeof startJoinedStore>>
beforeAll(async () => {
	started = await startJoinedStore()
})
afterAll(() => started.close())

const startMs = Date.parse('2026-06-01T00:00:00Z')
const hourMs = 3_600_000
const hours = 3
const seeds = Array.from({ length: process.env.LONG_TESTS ? 40 : 1 }, (_, at) => at + 1)

test('of a busy tool only the calls near the new ones are read again, and all are joined as if they had arrived at once', async () => {
	const random = createRandom(7)
	const looks = process.env.LONG_TESTS ? 20 : 6
	const perLook = 40
	const reads: number[] = []
	const query = async <Row>(...given: Parameters<typeof started.plain.query>) => {
		const found = await started.plain.query<Row>(...given)
		if (given[0].includes('said_tags') || !given[0].includes('AS parent')) return found
		reads.push(found.length)
		return found
	}
	const joiner = new Joiner({ ...started.plain, query: query as typeof started.plain.query }, systemClock)
	const hash = (call: number) => new Map([['signalbox.arguments_hash', call.toString(16).padStart(32, 'a')]])
	for (let look = 0; look < looks; look++) {
		const rows = Array.from({ length: perLook }, (_, at) => {
			const call = look * perLook + at
			const atMs = startMs + call * 250
			const shared = {
				workspaceId: 'busy',
				kind: 'tool_call',
				toolName: 'search',
				name: 'call',
				status: 'ok',
			} as const
			const one = (side: number, late: number, fields: Partial<SpanRow> & Pick<SpanRow, 'source'>) =>
				newSpanRow({
					...shared,
					traceId: `b${side}${call.toString(16)}`.padStart(32, 'b'),
					spanId: '1'.padStart(16, '0'),
					startNs: BigInt(Math.round((atMs + late) * 1e6)),
					...fields,
				})
			return [
				one(1, 0, {
					source: 'gateway',
					durationNs: BigInt(10 + random(300)) * 1_000_000n,
					attributes: hash(call % 50),
				}),
				one(2, random(40) - 20, {
					...{ source: 'otlp', durationNs: BigInt(10 + random(400)) * 1_000_000n, scopeName: 'framework' },
					...(random(2) && { attributes: hash(call % 50) }),
				}),
			].filter(() => random(8) > 0)
		}).flat()
		await started.plain.insertRowBinary({
			...spanInsert(rows),
			deduplicationToken: `busy-${look}`,
		})
		await joiner.join()
	}
	expect(await hiddenIn('busy')).toBeGreaterThan(100)
	expect(Math.max(...reads.slice(-3))).toBeLessThan(8 * perLook)
	const range = { startMs: startMs - hourMs, endMs: startMs + hourMs }
	expect(await joinStretch(started.plain, 'busy', range)).toBe(0)
}, 60_000)

test.each(seeds)(
	'spans that arrive in any order are joined as if all had arrived at once (%i)',
	async (seed) => {
		const random = createRandom(seed)
		const workspaceId = `w${seed}`
		const all = [
			...randomSpans(random, 60, startMs, hours),
			...randomViews(random, 120, startMs, hours),
			...randomPairs(random, 60, startMs),
		]
		const parts = new Map<number, SpanRow[]>()
		for (const row of all) {
			const part = random(6)
			parts.set(part, [...(parts.get(part) ?? []), { ...row, workspaceId }])
		}
		for (const [part, rows] of parts)
			await started.store.insertRowBinary({
				...spanInsert(rows),
				deduplicationToken: `${workspaceId}-${part}`,
			})
		const joined = await hiddenIn(workspaceId)
		expect(joined).toBeGreaterThan(50)
		for (let hour = -1; hour < hours + 4; hour++) {
			const range = { startMs: startMs + hour * hourMs, endMs: startMs + (hour + 1) * hourMs }
			expect(await joinStretch(started.store, workspaceId, range), `hour ${hour}`).toBe(0)
		}
		await started.store.command(`TRUNCATE TABLE call_joins`)
		await joinStretch(started.store, workspaceId, { startMs: startMs - hourMs, endMs: startMs + 9 * hourMs })
		expect(await hiddenIn(workspaceId)).toBe(joined)
	},
	60_000,
)

/** Model calls that a framework and its client recorded in traces of their own, up to about four at a time. */
function randomPairs(random: (below: number) => number, calls: number, fromMs: number): SpanRow[] {
	return Array.from({ length: calls }, (_, call) => {
		const atMs = fromMs + random(calls * 500)
		const status = random(2) ? 'error' : 'ok'
		const ms = 100 + random(2000)
		return ['framework', 'client']
			.filter(() => random(5) > 0)
			.map((scopeName, inner) =>
				newSpanRow({
					...{ workspaceId: 'w1', name: 'chat', kind: 'model_call', source: 'otlp', usageSource: 'missing' },
					...{ status, scopeName, serviceName: 'app', modelRequested: `m${random(20) ? 1 : 2}` },
					traceId: `d${(call * 2 + inner).toString(16)}`.padStart(32, 'd'),
					spanId: '1'.padStart(16, '0'),
					startNs: BigInt(atMs + inner * random(50)) * 1_000_000n,
					durationNs: BigInt(ms - inner * random(60)) * 1_000_000n,
				}),
			)
	}).flat()
}

test('any number of arriving spans is joined at once', async () => {
	const one = (trace: number, fields: Partial<SpanRow>) =>
		newSpanRow({
			...{
				workspaceId: 'many',
				traceId: trace.toString(16).padStart(32, '0'),
				spanId: '1'.padStart(16, '0'),
			},
			...{ name: 'step', source: 'otlp', kind: 'other', startNs: BigInt(startMs) * 1_000_000n, ...fields },
		})
	const traces = Array.from({ length: 8000 }, (_, at) => at + 1)
	const rows = traces.flatMap((trace) => [
		one(trace, { sessionId: `session-${'x'.repeat(60)}-${trace}` }),
		one(trace, { kind: 'model_call', spanId: '2'.padStart(16, '0'), parentSpanId: '1'.padStart(16, '0') }),
	])
	await started.store.insertRowBinary({
		...spanInsert(rows),
		deduplicationToken: 'many',
	})
	const { calls, sessions } = await readOverview(started.store, 'many', {
		...{ startMs: startMs - 1, endMs: startMs + 1 },
	})
	expect([calls, sessions]).toEqual([8000, 8000])
}, 60_000)

test('a call whose views are stored one after the other is never counted twice, whichever arrives first', async () => {
	const joiner = new Joiner(started.plain, systemClock)
	const held = { query: started.plain.query, countable: () => joiner.countable() }
	const range = { startMs: startMs - 1, endMs: startMs + 1 }
	const store = (workspaceId: string, id: string, fields: Partial<SpanRow> & Pick<SpanRow, 'source'>) =>
		started.plain.insertRowBinary({
			deduplicationToken: `${workspaceId}${id}`,
			...spanInsert([
				newSpanRow({
					...{ workspaceId, traceId: id.repeat(32), spanId: id.repeat(16), name: 'chat', costNanoUsd: 5n },
					...{ kind: 'model_call', startNs: BigInt(startMs) * 1_000_000n },
					attributes: new Map([['gen_ai.response.id', 'chatcmpl-9f8e7d6c5b4a']]),
					...fields,
				}),
			]),
		})
	const proxied = { source: 'model_proxy' } as const
	const instrumented = { source: 'otlp', scopeName: 'sdk' } as const
	await joiner.join()
	for (const [workspace, views] of [
		['proxy-first', [proxied, instrumented]],
		['proxy-last', [instrumented, proxied]],
	] as const) {
		const sums: unknown[] = []
		for (const [at, view] of views.entries()) {
			await store(workspace, String(at + 1), view)
			for (const join of [async () => null, () => joiner.join()]) {
				await join()
				const { calls, cost_usd } = await readOverview(held, workspace, range)
				const spans = await readOverview(held, workspace, range, { filter: ['!env'] })
				sums.push([calls, cost_usd, spans.calls])
			}
		}
		const none = [0, '0', 0]
		const once = [1, '0.000000005', 1]
		expect(sums, workspace).toEqual([none, once, once, once])
	}
})

async function hiddenIn(workspaceId: string): Promise<number> {
	const [found] = await started.store.query<{ hidden: string }>(
		'SELECT count() AS hidden FROM call_joins FINAL WHERE workspace_id = {workspace:String} AND is_hidden > 0',
		{ workspace: workspaceId },
	)
	return Number(found?.hidden)
}
