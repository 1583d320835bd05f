import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPriceCall, linesOf, tokenBuckets } from '../../../ledger/ledger.ts'
import type { TestStore } from '../../../platform/clickhouse/testing.ts'
import {
	encodeExchange,
	encodeSpanRow,
	exchangeColumnNames,
	newSpanRow,
	spanColumnNames,
} from '../../../telemetry/index.ts'
import { findSuspects } from '../cache-misses/cache-miss-repository.ts'
import { type Counted, type Piece, ProviderCache } from '../cache-misses/provider-cache.testing.ts'
import { startJoinedStore } from '../joined-store.testing.ts'
import { readToolCosts } from './tool-costs.ts'

const startMs = Date.parse('2026-06-01T10:00:00Z')
const range = { startMs, endMs: startMs + 3_600_000 }
const priceCall = createPriceCall()
const bytesPerToken = 4

/** A part of a prompt, and the tool whose result it is. */
interface PromptPart extends Piece {
	resultOf?: string
}

const tools: PromptPart[] = [
	{ kind: 'tool', name: 'mcp__docs__search', text: 'search', tokens: 613 },
	{ kind: 'tool', name: 'mcp__docs__read_page', text: 'read', tokens: 1207 },
	{ kind: 'tool', name: 'mcp__crm__find', text: 'find', tokens: 2411 },
	{ kind: 'tool', name: 'shell', text: 'shell', tokens: 318 },
]
const prompt: PromptPart[] = [...tools, { kind: 'system', name: 'system', text: 'system', tokens: 1900 }]
const talk: PromptPart[] = [
	{ kind: 'message', name: 'user', text: 'question', tokens: 140 },
	...['mcp__docs__search', 'mcp__docs__read_page', 'shell', 'mcp__docs__search'].flatMap(
		(name, at): PromptPart[] => [
			{ kind: 'message', name: 'assistant', text: `use ${at}`, tokens: 90 + at },
			{ kind: 'message', name: 'user', text: `result ${at}`, tokens: 700 * (at + 1), resultOf: name },
		],
	),
]

const spans: Buffer[] = []
const exchanges: Buffer[] = []
let count = 0

function record(
	workspaceId: string,
	model: string,
	pieces: readonly PromptPart[],
	counted: Counted,
	agent: string,
) {
	const startNs = BigInt(startMs + ++count * 1000) * 1_000_000n
	const [traceId, spanId] = [count.toString(16).padStart(32, '0'), count.toString(16).padStart(16, '0')]
	const place = { workspaceId, traceId, spanId, startNs, sessionId: 's', userId: '' }
	const { read: cache_read, written: cache_write_5m, rest: in_text } = counted
	const lines = linesOf({ cache_read, cache_write_5m, in_text, out_text: 50 })
	const { ledger } = priceCall({ provider: 'anthropic', model, lines, startNs })
	const row = newSpanRow({
		...(count === 1 && { parentSpanId: 'f'.repeat(16) }),
		...{ ...place, ledger, model, ...tokenBuckets(lines), agentId: agent, agentName: `Agent ${agent}` },
		...{ name: 'chat', source: 'model_proxy', kind: 'model_call', status: 'ok', usageSource: 'reported' },
	})
	const asked = pieces.at(-1)?.text === 'question' ? 'mcp__docs__search' : ''
	const parts = pieces.map(({ kind, name, tokens }) => ({
		kind,
		name,
		hash: '0'.repeat(32),
		bytes: tokens * bytesPerToken,
	}))
	const results = pieces.flatMap(({ resultOf, tokens }, part) =>
		resultOf ? [{ id: `id ${part}`, name: resultOf, bytes: tokens * bytesPerToken, part }] : [],
	)
	const toolUses = asked ? [{ id: 'id', name: asked, argumentsHash: '' }] : []
	const marks = { cacheMarks: 2, cacheSeconds: 300 }
	spans.push(encodeSpanRow(row))
	exchanges.push(encodeExchange({ ...place, parts, results, toolUses, ...marks }, 30))
}

/** Token by token: the tool, and the price. */
const slow = new Map<string, { tokens: number; cost: number }>()
const rates = { read: 300, written: 3750, rest: 3000 }
function attribute(pieces: readonly PromptPart[], { read, written }: Counted) {
	let place = 0
	for (const { kind, name, tokens, resultOf } of pieces)
		for (let token = 0; token < tokens; token++, place++) {
			const key = kind === 'tool' ? `definition ${name}` : resultOf ? `result ${resultOf}` : 'rest'
			const sums = slow.get(key) ?? { tokens: 0, cost: 0 }
			const price = place < read ? rates.read : place < read + written ? rates.written : rates.rest
			slow.set(key, { tokens: sums.tokens + 1, cost: sums.cost + price })
		}
}

function play() {
	const cache = new ProviderCache(true)
	const asked = { at: 0, connection: 'main', model: '', settings: '', cacheKey: '', seconds: 300 }
	for (let turn = 1; turn <= talk.length; turn += 2) {
		const pieces = [...prompt, ...talk.slice(0, turn)]
		// The last turn is not marked, so that all of it is billed as uncached input.
		const counted = cache.ask({ ...asked, at: turn * 10, pieces, seconds: turn === talk.length ? 0 : 300 })
		record('w1', 'claude-sonnet-4-5', pieces, counted, turn < 5 ? 'a' : 'b')
		attribute(pieces, counted)
	}
	record('w2', 'nobody-knows-it', prompt, { read: 0, written: 0, rest: 6449 }, 'a')
}

let started: TestStore
beforeAll(async () => {
	started = await startJoinedStore()
	play()
	const insert = (table: string, columns: readonly string[], rows: Buffer[]) =>
		started.store.insertRowBinary({ table, columns, rows: Buffer.concat(rows), deduplicationToken: table })
	await insert('spans', spanColumnNames, spans)
	await insert('exchanges', exchangeColumnNames, exchanges)
})
afterAll(() => started.close())

const read = (by: 'tool' | 'server' | 'agent', workspaceId = 'w1') =>
	readToolCosts(started.store, workspaceId, range, { by, limit: 50 })
const isNear = (share: { tokens: number; cost_nano_usd: string }, truth = { tokens: 0, cost: 0 }) => {
	expect(Math.abs(share.tokens - truth.tokens)).toBeLessThanOrEqual(truth.tokens / 100)
	expect(Math.abs(Number(share.cost_nano_usd) - truth.cost)).toBeLessThanOrEqual(truth.cost / 100)
}

describe('the costs of tools', () => {
	it('equal a count of every token, at the price for its position in the prompt', async () => {
		const { tool_costs, rest, total, requests } = await read('tool')
		expect({ total, requests }).toEqual({ total: 4, requests: 5 })
		for (const { server, tool, definitions, results } of tool_costs) {
			const name = server ? `mcp__${server}__${tool}` : tool
			isNear(definitions, slow.get(`definition ${name}`))
			isNear(results, slow.get(`result ${name}`))
		}
		isNear(rest, slow.get('rest'))
		const search = tool_costs.find(({ tool }) => tool === 'search')
		expect(search).toMatchObject({ server: 'docs', requests: 5, uses: 1, results: { carried: 5 } })
		expect(tool_costs.find(({ tool }) => tool === 'find')).toMatchObject({
			uses: 0,
			results: { carried: 0, tokens: 0 },
		})
	})

	it.each(['tool', 'server', 'agent'] as const)('add up to the input of all requests, by %s', async (by) => {
		const { input, rest, tool_costs } = await read(by)
		const [all, cost] = [...slow.values()].reduce(
			([tokens, sum], one) => [tokens + one.tokens, sum + one.cost],
			[0, 0],
		)
		const sum = (of: (line: (typeof tool_costs)[number]) => number) =>
			tool_costs.reduce((to, line) => to + of(line), 0)
		expect(input.tokens).toBe(all)
		isNear(
			{ tokens: sum(({ tokens }) => tokens) + rest.tokens, cost_nano_usd: input.cost_nano_usd },
			{ tokens: all, cost },
		)
		const parts = sum((line) => Number(line.cost_nano_usd)) + Number(rest.cost_nano_usd)
		expect(Math.abs(parts - Number(input.cost_nano_usd))).toBeLessThan(10)
	})

	it('are shown by server and by agent', async () => {
		const servers = (await read('server')).tool_costs.map(({ server }) => server)
		expect(servers.toSorted()).toEqual(['crm', 'docs', null])
		const agents = (await read('agent')).tool_costs.map(({ agent, requests }) => [agent?.name, requests])
		expect(agents.toSorted()).toEqual([
			['Agent a', 2],
			['Agent b', 3],
		])
	})

	it('are found by an attribute that only an ancestor of the call has, like all figures', async () => {
		const ids = { traceId: '1'.padStart(32, '0'), spanId: 'f'.repeat(16) }
		const startNs = BigInt(startMs) * 1_000_000n
		const attributes = new Map([['langfuse.trace.metadata.tier', 'gold']])
		const root = newSpanRow({
			workspaceId: 'w1',
			...ids,
			startNs,
			durationNs: 10n ** 10n,
			...({ name: 'run', source: 'otlp', kind: 'other' } as const),
			attributes,
		})
		const rows = encodeSpanRow(root)
		const deduplicationToken = 'root'
		await started.store.insertRowBinary({
			table: 'spans',
			columns: spanColumnNames,
			rows,
			deduplicationToken,
		})
		const filter = ['langfuse.trace.metadata.tier=gold']
		const { requests } = await readToolCosts(started.store, 'w1', range, { by: 'tool', limit: 50, filter })
		expect(requests).toBe(1)
		const noFilter = await findSuspects(started.store, 'w1', range, { filter: {}, limit: 9 })
		const { calls } = await findSuspects(started.store, 'w1', range, { filter: { filter }, limit: 9 })
		expect([noFilter.calls, calls]).toEqual([5, 1])
	})

	it('have tokens but no cost if there is no price', async () => {
		const { input, unpriced_requests, tool_costs } = await read('tool', 'w2')
		expect({ input, unpriced_requests }).toEqual({
			input: { tokens: 6449, cost_nano_usd: '0', cost_usd: '0' },
			unpriced_requests: 1,
		})
		expect(tool_costs[0]).toMatchObject({ tokens: 2411, cost_nano_usd: '0', tool: 'find' })
	})
})
