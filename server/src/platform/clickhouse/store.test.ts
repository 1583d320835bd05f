import { readdir, rm, writeFile } from 'node:fs/promises'
import { Agent, type AgentOptions } from 'node:http'
import { join } from 'node:path'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { durableSettings } from './migrate.ts'
import type { TelemetryStore } from './store.ts'
import { startTestStore, type TestStore } from './testing.ts'

let running: TestStore
let store: TelemetryStore

beforeAll(async () => {
	running = await startTestStore()
	store = running.store
	await store.command(
		`CREATE TABLE pairs (a UInt64, b String) ENGINE = MergeTree ORDER BY a ${durableSettings()}`,
	)
	await store.command(
		`CREATE TABLE sums (a UInt64, n UInt64) ENGINE = SummingMergeTree ORDER BY a ${durableSettings()}`,
	)
	await store.command('CREATE MATERIALIZED VIEW pairs_to_sums TO sums AS SELECT a, 1 AS n FROM pairs')
})
afterAll(() => running?.close())

function encodePair(a: number | bigint, b: string): Buffer {
	const text = Buffer.from(b)
	const head = Buffer.alloc(9)
	head.writeBigUInt64LE(BigInt(a))
	head[8] = text.length
	return Buffer.concat([head, text])
}

function insertPairs(token: string, ...pairs: [number | bigint, string][]): Promise<void> {
	const rows = pairs.map(([a, b]) => encodePair(a, b))
	return store.insertRowBinary({ table: 'pairs', columns: ['a', 'b'], rows, deduplicationToken: token })
}

async function countPairs(from: number, to: number): Promise<number> {
	const sql = 'SELECT count() AS n FROM pairs WHERE a BETWEEN {from:UInt64} AND {to:UInt64}'
	const [row] = await store.query<{ n: string }>(sql, { from, to })
	return Number(row?.n)
}

/** A block of the Native format with one row of one column of UInt64. */
function nativeBlock(name: string, value: bigint): Buffer {
	const bytes = Buffer.alloc(8)
	bytes.writeBigUInt64LE(value)
	return Buffer.concat([Buffer.from([1, 1, name.length]), Buffer.from(`${name}\x06UInt64`), bytes])
}

it('a column missing from a block is empty; one that the insert does not name gets its default', async () => {
	await store.command(
		`CREATE TABLE defaults (a UInt64, named UInt64 DEFAULT a + 1, other UInt64 DEFAULT a + 2)
		ENGINE = MergeTree ORDER BY a ${durableSettings()}`,
	)
	await store.insertRowBinary({
		...{ table: 'defaults', columns: ['a', 'named'], rows: nativeBlock('a', 5n) },
		...{ format: 'Native', deduplicationToken: 'defaults' },
	})
	expect(await store.query('SELECT * FROM defaults')).toEqual([{ a: '5', named: '0', other: '7' }])
})

describe('parameters', () => {
	it.each([
		"'; DROP TABLE pairs; --",
		"\\'; DROP TABLE pairs; --",
		'a\n\nDROP TABLE pairs\n',
		'tab\t, return\r, backslash \\, quote ", backtick `, {a:String}',
		'\\N',
		'NUL \0 inside',
		'grüße 日本語 🦄 \u2028',
	])('carry %j unchanged', async (text) => {
		expect(await store.query('SELECT {text:String} AS text', { text })).toEqual([{ text }])
		expect(await countPairs(0, 0)).toBe(0)
	})

	it('carry 300 000 characters', async () => {
		const text = 'x\n'.repeat(150_000)
		expect(await store.query('SELECT {text:String} AS text', { text })).toEqual([{ text }])
	})

	it('carry arrays, maps, null and names', async () => {
		const list = ["it's", 'a\\b', 'c\nd']
		const rows = await store.query(
			'SELECT {list:Array(String)} AS list, {none:Nullable(String)} AS none, {map:Map(String, String)} AS map',
			{
				list,
				none: null,
				map: { "k'": 'v\n' },
			},
		)
		expect(rows).toEqual([{ list, none: null, map: { "k'": 'v\n' } }])
		expect(await store.query('SELECT count() AS n FROM {table:Identifier}', { table: 'sums' })).toHaveLength(
			1,
		)
	})

	it('of parallel queries never mix, even if some fail', async () => {
		const ask = async (index: number) => {
			if (index % 7 === 0)
				await expect(store.query('SELECT throwIf(1, {v:String})', { v: `${index}` })).rejects.toThrow()
			return store.query<{ v: string }>('SELECT {v:String} AS v, sum(number) AS s FROM numbers(20000)', {
				v: `${index}`,
			})
		}
		const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => ask(index)))
		expect(answers.map((rows) => rows[0]?.v)).toEqual(answers.map((_, index) => `${index}`))
	})

	it('with a lone surrogate are refused by name', async () => {
		await expect(store.query('SELECT {bad:String}', { bad: 'a\ud800b' })).rejects.toThrow(
			'"bad" holds a lone surrogate',
		)
		await expect(store.query('SELECT {bad:Array(String)}', { bad: ['\udc00'] })).rejects.toThrow('"bad"')
	})

	it('that are missing are an error, not an earlier value', async () => {
		await store.query('SELECT {once:String}', { once: 'x' })
		await expect(store.query('SELECT {once:String}')).rejects.toMatchObject({ code: '456' })
	})
})

describe('binary inserts', () => {
	it('keep the bytes 0A 0A and SQL in strings', async () => {
		await insertPairs('binary:1', [0x0a0a_0a0an, 'x\n\n; DROP TABLE pairs\n\n'], [0x0a0a_0a0bn, ''])
		const rows = await store.query('SELECT * FROM pairs WHERE a IN (168430090, 168430091) ORDER BY a')
		expect(rows).toEqual([
			{ a: '168430090', b: 'x\n\n; DROP TABLE pairs\n\n' },
			{ a: '168430091', b: '' },
		])
	})

	it('with the same token are stored once, in the table and behind its view', async () => {
		await insertPairs('token:0-2', [1000, 'a'], [1001, 'b'])
		await insertPairs('token:0-2', [1000, 'a'], [1001, 'b'])
		expect(await countPairs(1000, 1001)).toBe(2)
		expect(await store.query('SELECT sum(n) AS n FROM sums WHERE a BETWEEN 1000 AND 1001')).toEqual([
			{ n: '2' },
		])
	})

	it('repeated with their token fill a view that missed them', async () => {
		await store.command('DROP VIEW pairs_to_sums')
		await insertPairs('healed:0-1', [1200, 'a'])
		await store.command('CREATE MATERIALIZED VIEW pairs_to_sums TO sums AS SELECT a, 1 AS n FROM pairs')
		await insertPairs('healed:0-1', [1200, 'a'])
		await insertPairs('healed:0-1', [1200, 'a'])
		expect(await countPairs(1200, 1200)).toBe(1)
		expect(await store.query('SELECT sum(n) AS n FROM sums WHERE a = 1200')).toEqual([{ n: '1' }])
	})

	it('with equal rows and another token are stored again', async () => {
		await insertPairs('token:2-3', [1100, 'a'])
		await insertPairs('token:3-4', [1100, 'a'])
		expect(await countPairs(1100, 1100)).toBe(2)
	})

	it('of 40 000 rows sent twice at once are stored once', async () => {
		const rows = Array.from({ length: 40_000 }, (_, index) => encodePair(10_000 + index, 'v'))
		const insert = { table: 'pairs', columns: ['a', 'b'], rows, deduplicationToken: 'big:0-40000' }
		await Promise.all([store.insertRowBinary(insert), store.insertRowBinary(insert)])
		expect(await countPairs(10_000, 49_999)).toBe(40_000)
		// Both went through files.
		expect(await readdir(join(running.dataDir, 'chdb', 'inserts'))).toHaveLength(2)
	})

	it('go through the socket where no file can be created', async () => {
		const directory = join(running.dataDir, 'chdb', 'inserts')
		await rm(directory, { recursive: true, force: true })
		await writeFile(directory, '')
		const rows = Array.from({ length: 30_000 }, (_, index) => encodePair(50_000 + index, 'v'))
		const insert = { table: 'pairs', columns: ['a', 'b'], rows, deduplicationToken: 'big:0-30000' }
		await store.insertRowBinary(insert).finally(() => rm(directory))
		expect(await countPairs(50_000, 79_999)).toBe(30_000)
	})

	it('truncated within a row store nothing, and the next insert works', async () => {
		const rows = Buffer.concat([encodePair(2000, 'a'), encodePair(2001, 'b').subarray(0, 4)])
		const insert = { table: 'pairs', columns: ['a', 'b'], rows, deduplicationToken: 'cut:0-2' }
		await expect(store.insertRowBinary(insert)).rejects.toMatchObject({ code: '33' })
		expect(await countPairs(2000, 2001)).toBe(0)
		await insertPairs('cut:0-1', [2000, 'a'])
		expect(await countPairs(2000, 2001)).toBe(1)
	})

	it('with an invalid table name are refused', async () => {
		const insert = {
			table: 'pairs; DROP TABLE pairs',
			columns: ['a'],
			rows: Buffer.alloc(8),
			deduplicationToken: 'x',
		}
		await expect(store.insertRowBinary(insert)).rejects.toThrow('is not a table or column name')
	})
})

it('numbers that JavaScript would round are returned as strings', async () => {
	const sql =
		"SELECT 18446744073709551615 AS u, toDecimal128('1234567890.123456789012', 12) AS d, toInt32(-7) AS i"
	expect(await store.query(sql)).toEqual([{ u: '18446744073709551615', d: '1234567890.123456789012', i: -7 }])
})

describe('the official client', () => {
	it('pings, inserts JSON rows, streams and commands', async () => {
		expect(await store.client.ping()).toEqual({ success: true })
		expect(await store.client.ping({ select: true })).toEqual({ success: true })
		await store.client.insert({
			table: 'pairs',
			values: [{ a: 3000, b: 'a\n\nDROP TABLE pairs' }],
			format: 'JSONEachRow',
		})
		const answer = await store.client.query({ query: 'SELECT b FROM pairs WHERE a = 3000', format: 'JSON' })
		expect((await answer.json<{ b: string }>()).data).toEqual([{ b: 'a\n\nDROP TABLE pairs' }])
		const stream = (
			await store.client.query({ query: 'SELECT number FROM numbers(5)', format: 'CSV' })
		).stream()
		const lines = (await stream.toArray()).flat().map((row) => row.text)
		expect(lines).toEqual(['0', '1', '2', '3', '4'])
	})

	it('gets the code and the kind of an error', async () => {
		await expect(store.query('SELECT * FROM nowhere')).rejects.toMatchObject({
			code: '60',
			type: 'UNKNOWN_TABLE',
		})
		await expect(store.query('SELECT )')).rejects.toMatchObject({ code: '62', type: 'SYNTAX_ERROR' })
	})

	it('with another key gets nothing', async () => {
		const { options } = (store.client as unknown as { connection: { agent: { options: AgentOptions } } })
			.connection.agent
		const log = { level: ClickHouseLogLevel.OFF }
		// Connections of its own: each client ends those that it has not used for a while, also under the queries of another client.
		const stranger = createClient({
			url: 'http://engine.invalid',
			password: 'wrong',
			http_agent: new Agent(options),
			log,
		})
		await expect(stranger.query({ query: 'SELECT 1' })).rejects.toMatchObject({ code: '516' })
		expect((await stranger.ping()).success).toBe(false)
		await stranger.close()
	})
})

describe('a request', () => {
	it('leaves no settings behind for the next', async () => {
		const settings = { max_result_rows: '1', max_block_size: '1' }
		const tooMany = store.client.query({
			query: 'SELECT * FROM numbers(5)',
			clickhouse_settings: settings,
			format: 'CSV',
		})
		await expect(tooMany).rejects.toMatchObject({ code: '396' })
		const all = await Promise.all(Array.from({ length: 12 }, () => store.query('SELECT * FROM numbers(5)')))
		expect(all.every((rows) => rows.length === 5)).toBe(true)
	})

	it('that its caller cancelled ends in the engine', async () => {
		const given = new AbortController()
		const sql = 'SELECT sleepEachRow(0.5) FROM numbers(40) SETTINGS max_block_size = 1'
		const queries = Array.from({ length: 8 }, () => {
			const query = store.client.query({ query: sql, format: 'CSV', abort_signal: given.signal })
			return query.then(
				() => 'answered',
				() => 'given up',
			)
		})
		const running =
			'SELECT count() AS n FROM system.processes WHERE query LIKE {like:String} AND query NOT LIKE {not:String}'
		await new Promise((resolve) => setTimeout(resolve, 300))
		given.abort()
		expect(new Set(await Promise.all(queries))).toEqual(new Set(['given up']))
		const left = () =>
			store.query<{ n: string }>(running, { like: '%sleepEachRow(0.5)%', not: '%system.processes%' })
		await vi.waitFor(async () => expect(await left()).toEqual([{ n: '0' }]), { timeout: 10_000 })
	})

	it('that failed leaves no output in the next response', async () => {
		const slow =
			'SELECT sleepEachRow(0.2) FROM numbers(50) SETTINGS max_block_size = 1, max_execution_time = 1'
		const tooLarge = { code: 'question_too_large', status: 422 }
		await Promise.all(
			Array.from({ length: 4 }, () => expect(store.query(slow)).rejects.toMatchObject(tooLarge)),
		)
		const answers = await Promise.all(Array.from({ length: 8 }, () => store.query('SELECT 7 AS seven')))
		for (const rows of answers) expect(rows).toEqual([{ seven: 7 }])
	})

	it.each([
		['two statements', 'SELECT 1; DROP TABLE pairs'],
		['SET', 'SET max_threads = 1'],
		['a write as a read', 'WITH 1 AS x INSERT INTO pairs SELECT x, x'],
		['readonly disabled', 'SELECT 1 SETTINGS readonly = 0'],
	])('with %s is refused', async (_name, sql) => {
		await expect(store.query(sql)).rejects.toThrow()
		expect(await store.query('SELECT count() FROM pairs')).toHaveLength(1)
	})

	it('with a setting that is not on the list is refused', async () => {
		const query = store.client.query({ query: 'SELECT 1', clickhouse_settings: { allow_ddl: 0 } })
		await expect(query).rejects.toThrow('allow_ddl is not accepted')
	})
})

describe('a query that is too large', () => {
	it.each([
		['memory', 'SELECT groupArray(number) FROM numbers(10000000) SETTINGS max_memory_usage = 10000000'],
		['its result', "SELECT repeat('x', 1000) FROM numbers(100) SETTINGS max_result_bytes = 1000"],
	])('for %s is refused as such, and the engine runs on', async (_what, sql) => {
		const pid = store.enginePid()
		await expect(store.query(sql)).rejects.toMatchObject({ code: 'question_too_large', status: 422 })
		expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
		expect(store.enginePid()).toBe(pid)
	})
})
