import { createHash } from 'node:crypto'
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
import { startJoinedStore } from '../joined-store.testing.ts'
import { getCacheMiss, readCacheMisses } from './cache-misses.ts'
import {
	type Case,
	cases,
	first,
	type Kind,
	model,
	models,
	next,
	opening,
	system,
	tools,
	user,
} from './miss-cases.testing.ts'
import { type Asked, type Counted, type Piece, ProviderCache } from './provider-cache.testing.ts'

const startMs = Date.parse('2026-06-01T10:00:00Z')
const range = { startMs, endMs: startMs + 7_200_000 }
const priceCall = createPriceCall()
const hashOf = (text: string) => createHash('md5').update(text).digest('hex')

let count = 0
const idOf = (number: number, digits: number) => number.toString(16).padStart(digits, '0')

const spans: Buffer[] = []
const exchanges: Buffer[] = []

/** One call of a session, as the model proxy records it. */
function record(
	workspaceId: string,
	kind: Kind,
	asked: Asked,
	{ read, written, rest }: Counted,
	sessionId = 's',
): string {
	const { provider } = models[kind]
	const startNs = BigInt(startMs + asked.at * 1000) * 1_000_000n
	const place = { workspaceId, traceId: idOf(++count, 32), spanId: idOf(count, 16), startNs, sessionId }
	const write = asked.seconds === 3600 ? 'cache_write_1h' : 'cache_write_5m'
	const lines = linesOf({ cache_read: read, [write]: written, in_text: rest, out_text: 100 })
	const row = newSpanRow({
		...{ ...place, name: 'chat', source: 'model_proxy', kind: 'model_call', status: 'ok', provider },
		...{ model: asked.model || models[kind].model, connection: asked.connection, usageSource: 'reported' },
		...{ ...tokenBuckets(lines), durationNs: 9_000_000_000n, timeToFirstTokenNs: 2_000_000_000n },
		ledger: priceCall({ provider, model: asked.model || models[kind].model, lines, startNs }).ledger,
	})
	const settings = (name: string, text: string) => ({
		kind: 'settings' as const,
		name,
		hash: hashOf(text),
		bytes: 9,
	})
	const parts = [
		...[
			settings('prompt', asked.settings),
			settings('cache', asked.cacheKey),
			settings('other', String(count)),
		],
		...asked.pieces.map(({ kind, name, text, tokens }) => ({
			kind,
			name,
			hash: hashOf(text),
			bytes: tokens * 4,
		})),
		{ kind: 'answer' as const, name: 'assistant', hash: hashOf(`answer ${count}`), bytes: 400 },
	]
	const marks = kind === 'claude' && asked.seconds > 0 ? 2 : 0
	const exchange = { ...place, userId: '', parts, toolUses: [], results: [] }
	const cacheMarks = { cacheMarks: marks, cacheSeconds: marks > 0 ? asked.seconds : 0 }
	spans.push(encodeSpanRow(row))
	exchanges.push(encodeExchange({ ...exchange, ...cacheMarks }, 30))
	return row.spanId
}

/** Computed token by token: what was paid for tokens that would have been read from the cache, beyond their price in the cache. */
function slowAmount(kind: Kind, asked: Asked, counted: Counted, wouldHaveRead: number): number {
	const price = (tokens: number, what: 'read' | 'written' | 'rest') => {
		const write = asked.seconds === 3600 ? 'cache_write_1h' : 'cache_write_5m'
		const dimension = { read: 'cache_read', written: write, rest: 'in_text' }[what]
		const { provider, model: usual } = models[kind]
		const lines = linesOf({ [dimension]: tokens })
		return Number(priceCall({ provider, model: asked.model || usual, lines, startNs: 0n }).costNanoUsd)
	}
	const many = 100_000
	const rates = { read: price(many, 'read'), written: price(many, 'written'), rest: price(many, 'rest') }
	let sum = 0
	for (let token = 0; token < counted.read + counted.written + counted.rest; token++) {
		const paid = token < counted.read ? 'read' : token < counted.read + counted.written ? 'written' : 'rest'
		sum += (rates[paid] - (token < Math.max(counted.read, wouldHaveRead) ? rates.read : rates[paid])) / many
	}
	return sum
}

/** A session of two calls, and what the second should have cost. */
function play(name: string, { kind = 'claude', ...one }: Case) {
	const cache = new ProviderCache(kind === 'claude', one.minimum)
	const begin = { ...first, ...one.before }
	const wanted = { ...next, ...one.before, pieces: one.minimum ? begin.pieces : next.pieces }
	record(name, kind, begin, cache.ask(begin))
	const otherwise = one.minimum ? new ProviderCache(true, 0) : cache.copy()
	if (one.minimum) otherwise.ask(begin)
	one.between?.(cache)
	const asked = one.change(wanted)
	const counted = cache.ask(asked)
	const spanId = record(name, kind, asked, counted)
	return { name, spanId, amount: slowAmount(kind, asked, counted, otherwise.ask(wanted).read) }
}

const played = Object.entries(cases).map(([name, one]) => ({ ...play(name, one), ...one }))

/** Ten turns, including a subagent with its own conversation, and two questions about the same text. */
function playStable(kind: Kind) {
	const cache = new ProviderCache(kind === 'claude')
	const say = (at: number, pieces: Piece[]) => {
		const asked = { ...first, at, pieces }
		record(`stable ${kind}`, kind, asked, cache.ask(asked))
	}
	const talk: Piece[] = []
	for (let turn = 0; turn < 10; turn++) {
		talk.push(user(`turn ${turn}`, 300 + 211 * turn))
		say(turn * 60, [...opening, ...talk])
		talk.push(model(`answer ${turn}`))
		const helper = [system('You help.'), user('help', 1800), model('so'), user('more', 900)]
		say(turn * 60 + 10, [...tools.slice(1), ...helper.slice(0, turn % 2 === 0 ? 2 : 4)])
	}
	say(610, [...opening, ...talk, user('one question', 700)])
	say(620, [...opening, ...talk, user('another question', 800)])
}

/** Sessions at the same time, in each of which every call has another version of a tool; returns each call and the one before it. */
function playChanging(workspaceId: string, sessions: number, calls: number) {
	const before = new Map<string, string>()
	const caches = Array.from({ length: sessions }, () => new ProviderCache(true))
	const last: string[] = []
	for (let at = 0; at < calls; at++)
		for (const [session, cache] of caches.entries()) {
			const turns = Array.from({ length: at + 1 }, (_, turn) => user(`${session}: turn ${turn}`, 300))
			const pieces = [
				{ ...opening[0], text: `search ${session} ${at}` } as Piece,
				...opening.slice(1),
				...turns,
			]
			const asked = { ...first, at: at * 60 + session, pieces }
			const spanId = record(workspaceId, 'claude', asked, cache.ask(asked), `session ${session}`)
			if (at > 0) before.set(spanId, last[session] ?? '')
			last[session] = spanId
		}
	return before
}
const changing = playChanging('changing', 12, 30)

let started: TestStore
beforeAll(async () => {
	started = await startJoinedStore()
	playStable('claude')
	playStable('gpt')
	const insert = (table: string, columns: readonly string[], rows: Buffer[]) =>
		started.store.insertRowBinary({ table, columns, rows: Buffer.concat(rows), deduplicationToken: table })
	await insert('spans', spanColumnNames, spans)
	await insert('exchanges', exchangeColumnNames, exchanges)
})
afterAll(() => started.close())

const read = (workspaceId: string, more: object = {}) =>
	readCacheMisses({ telemetry: started.store, priceCall }, workspaceId, range, { limit: 50, ...more })

describe('a call that paid again for its prompt', () => {
	it.each(played)('is explained and priced: $name', async ({ name, cause, part, spanId, amount }) => {
		const { cache_misses, causes, total, calls } = await read(name)
		expect(cache_misses.map((miss) => miss.cause)).toEqual([cause])
		expect(cache_misses[0]).toMatchObject({ span_id: spanId, also: [], ...(part && { part }) })
		const sums = { calls, total, causes: causes.map((sum) => [sum.cause, sum.calls]) }
		expect(sums).toEqual({ calls: 2, total: 1, causes: [[cause, 1]] })
		expect(amount).toBeGreaterThan(0)
		expect(Math.abs(Number(cache_misses[0]?.extra_cost_nano_usd) / amount - 1)).toBeLessThan(0.01)
	})

	it.each(['claude', 'gpt'])('is not found if every prompt continues the previous one: %s', async (kind) => {
		expect(await read(`stable ${kind}`)).toMatchObject({
			calls: 22,
			total: 0,
			complete: true,
			missed_tokens: 0,
		})
	})

	it('is compared with the call before it in its own session, many of them with few statements', async () => {
		let statements = 0
		const telemetry = Object.assign(Object.create(started.store), {
			query: (...parameters: Parameters<TestStore['store']['query']>) => {
				statements++
				return started.store.query(...parameters)
			},
		})
		const { cache_misses } = await readCacheMisses({ telemetry, priceCall }, 'changing', range, {
			limit: 1000,
		})
		const found = new Map(cache_misses.map((miss) => [miss.span_id, miss.before.span_id]))
		expect(found).toEqual(changing)
		expect(statements).toBeLessThanOrEqual(6)
		const [spanId, before] = [...changing].at(-1) ?? ['', '']
		const place = { trace_id: spanId.padStart(32, '0'), span_id: spanId }
		const one = await getCacheMiss({ telemetry: started.store, priceCall }, 'changing', place, false)
		expect(one).toMatchObject({ verdict: 'miss', miss: { before: { span_id: before } } })
	})

	it('queried by its id shows where its prompt differs, to those who may read it', async () => {
		const name = 'a system text with the time in it'
		await started.store.command(
			`INSERT INTO messages (workspace_id, retention_days, recorded_at, hash, text)
			SELECT {workspace:String}, 30, fromUnixTimestamp64Milli({at:Int64}, 'UTC'), MD5(part), part
			FROM (SELECT arrayJoin(['Be brief.', 'Be brief. 10:01']) AS part)`,
			{ workspace: name, at: startMs },
		)
		const spanId = played.find((one) => one.name === name)?.spanId ?? ''
		const place = { trace_id: spanId.padStart(32, '0'), span_id: spanId }
		const explain = (workspaceId: string, mayRead: boolean) =>
			getCacheMiss({ telemetry: started.store, priceCall }, workspaceId, place, mayRead)
		expect(await explain(name, true)).toMatchObject({
			verdict: 'miss',
			miss: { cause: 'system_changed' },
			difference: { offset: 9, before: 'Be brief.', after: 'Be brief. 10:01' },
		})
		expect(await explain(name, false)).toMatchObject({ verdict: 'miss', difference: null })
		await expect(explain('another', true)).rejects.toMatchObject({ code: 'not_found' })
	})
})
