import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrateTelemetryStore } from '../platform/clickhouse/migrate.ts'
import type { TelemetryStore } from '../platform/clickhouse/store.ts'
import { startTestStore, type TestStore } from '../platform/clickhouse/testing.ts'
import { type Columns, namesOf, withoutRetention } from './columns.ts'
import { logColumns } from './logs/log-columns.ts'
import { pointColumns } from './metrics/point-columns.ts'
import { telemetryMigrationsFor } from './migrations.ts'
import {
	ledgerList,
	ledgerLists,
	originOfMaps,
	originSql,
	parseOrigin,
	resourceColumns,
	spanColumnsWithLists,
} from './span-columns.ts'

const retentionDays = 45
/** By how many statements the interruption moves on from one attempt to the next. */
const step = process.env.LONG_TESTS ? 2 : 4
const migrations = telemetryMigrationsFor(retentionDays)
let running: TestStore
beforeEach(async () => {
	running = await startTestStore()
	await migrateTelemetryStore(running.store, migrations.slice(0, 3))
	await fill(running.store)
})
afterEach(() => running.close())

/** Rows in two hours of each of two days, including identical log records and data points. */
async function fill({ command }: TelemetryStore): Promise<void> {
	const times =
		"toDateTime64('2026-10-01 22:30:00', 9, 'UTC') + INTERVAL number % 2 DAY + INTERVAL intDiv(number, 2) % 2 HOUR"
	await command(
		`INSERT INTO spans (workspace_id, started_at, trace_id, span_id, name, kind, source, attributes, cost_nano_usd,
			resource, resource_types, scope_schema_url, ${namesOf(ledgerLists)})
		SELECT if(number % 3 = 0, 'w1', 'w2'), ${times}, unhex(leftPad(hex(number), 32, '0')), unhex(leftPad(hex(number), 16, '0')),
			concat('n', toString(number)), 'tool_call', 'otlp', map('k', toString(number)), if(number % 2 = 0, NULL, number),
			if(number % 5 = 0, map(), map('service.name', toString(number % 7), 'tab\\there', '%\\n', 'pid', '7')), if(number % 5 = 0, map(), map('pid', 'int')), if(number % 3 = 0, 'url', ''),
			['in_text', 'out_text'], [number, 1], [number * 1000000007, NULL], [NULL, 15], ['1/2', ''], [0, 1], ['a"b', 'é'], ['p', '']
		FROM numbers(1000)`,
	)
	await command(
		`INSERT INTO logs (workspace_id, recorded_at, body) SELECT 'w1', ${times}, 'same' FROM numbers(100)`,
	)
	await command(
		`INSERT INTO metrics (workspace_id, metric, recorded_at) SELECT 'w1', 'm', ${times} FROM numbers(100)`,
	)
}

const textsNow = new Set(namesOf([...ledgerLists, ...resourceColumns]))
const columns = {
	spans: spanColumnsWithLists.filter(([name]) => !textsNow.has(name)),
	logs: logColumns,
	metrics: pointColumns,
}

/** The number of rows, and the content of the previous columns in all of them, independent of order. */
async function contentOf(store: TelemetryStore): Promise<unknown> {
	const [{ stored } = { stored: 0 }] = await store.query<{ stored: number }>(
		"SELECT count() AS stored FROM system.columns WHERE table = 'spans' AND name = 'ledger_price' AND default_kind = ''",
	)
	const [{ origins } = { origins: 0 }] = await store.query<{ origins: number }>(
		"SELECT count() AS origins FROM system.columns WHERE table = 'spans' AND name = 'origin'",
	)
	const origin = Number(origins) ? 'origin' : originOfMaps
	const resources = await store.query(
		`SELECT sum(cityHash64(name, ${origin})) AS hash, uniq(${origin}) AS count FROM spans`,
	)
	const ledger = ledgerLists.map(([name]) => (Number(stored) ? name : ledgerList(name))).join(', ')
	const ledgers = await store.query(
		`SELECT sum(cityHash64(name, toString(tuple(${ledger})))) AS hash, sum(length(${Number(stored) ? 'ledger_price' : ledgerList('ledger_price')})) AS lines FROM spans`,
	)
	const read = ([table, all]: [string, Columns]) =>
		store.query(
			`SELECT count() AS rows, sum(cityHash64(toString(tuple(${namesOf(withoutRetention(all))})))) AS hash FROM ${table}`,
		)
	return Promise.all([resources, ledgers, ...Object.entries(columns).map(read)])
}

const partitions = (store: TelemetryStore) =>
	store.query<{ table: string; partition: string }>(
		"SELECT DISTINCT table, partition FROM system.parts WHERE database = currentDatabase() AND active AND table = 'spans' ORDER BY partition",
	)

describe('tables partitioned by day', () => {
	test('are partitioned by retention and day after an upgrade, and lose nothing', async () => {
		const { store } = running
		const before = await contentOf(store)
		const applied = migrations.slice(3).map(({ id }) => id)
		expect(await migrateTelemetryStore(store, migrations)).toEqual(applied)
		expect(await contentOf(store)).toEqual(before)
		expect((await partitions(store)).map(({ partition }) => partition)).toEqual(
			[1, 2].map((day) => `(${retentionDays},'2026-10-0${day}')`),
		)
		expect(await migrateTelemetryStore(store, migrations)).toEqual([])
	})

	test('keep the resource of each span while it is stored as a text in the background, and afterwards', async () => {
		const { store } = running
		const before = await contentOf(store)
		await migrateTelemetryStore(store, migrations.slice(0, 34))
		await store.command('SYSTEM STOP MERGES spans')
		await migrateTelemetryStore(store, migrations)
		const insert = (name: string) =>
			store.command(
				"INSERT INTO spans (workspace_id, started_at, name, resource, resource_types) SELECT 'w9', '2026-10-02 12:00:00', {name:String}, map('pid', '8'), map('pid', 'int')",
				{ name },
			)
		const added = () =>
			store.query<{ origin: string }>("SELECT origin FROM spans WHERE workspace_id = 'w9' ORDER BY name")
		const remove = (name: string) =>
			store.command('ALTER TABLE spans DELETE WHERE name = {name:String} SETTINGS mutations_sync = 2', {
				name,
			})
		await insert('during')
		// As a backup of this time would be restored.
		await store.command(
			"INSERT INTO spans (workspace_id, started_at, name, resource, origin) SELECT 'w8', '2026-10-02 12:00:00', 'both', map('pid', '9'), concat('\\n', '\\n', 'a', '\\t', 'b', '\\t')",
		)
		const both = await store.query<{ origin: string }>("SELECT origin FROM spans WHERE name = 'both'")
		expect(both.map(({ origin }) => parseOrigin(origin).resource)).toEqual([new Map([['a', 'b']])])
		const found = await store.query(
			`SELECT count() AS rows FROM spans WHERE ${originSql.hasValue("'tab\\there'", "'%\\n'")} AND ${originSql.textOf("'service.name'")} = '3'`,
		)
		expect(found).toEqual([{ rows: '114' }])
		await store.command('SYSTEM START MERGES spans')
		const open = () =>
			store.query("SELECT command FROM system.mutations WHERE table = 'spans' AND NOT is_done")
		await expect.poll(open, { timeout: 20_000 }).toEqual([])
		await insert('later')
		const origins = (await added()).map(({ origin }) => parseOrigin(origin).resource)
		expect(origins).toEqual([new Map([['pid', 8n]]), new Map([['pid', 8n]])])
		for (const name of ['during', 'both', 'later']) await remove(name)
		expect(await contentOf(store)).toEqual(before)
		await store.command('OPTIMIZE TABLE spans FINAL')
		expect(await contentOf(store)).toEqual(before)
	})

	test('neither lose nor duplicate rows when the upgrade is interrupted after any of its statements', async () => {
		const { store } = running
		const before = await contentOf(store)
		let attempts = 0
		// The last statement of all may be the one before an interruption; the next attempt then has nothing left to do.
		for (let isCut = true; isCut; attempts++) {
			// The last statement executed before the interruption; later in each attempt.
			let left = attempts * step + 1
			const cut: Pick<TelemetryStore, 'query' | 'command'> = {
				query: store.query,
				command: async (...statement) => {
					await store.command(...statement)
					if (--left === 0) throw new Error('cut')
				},
			}
			isCut = await migrateTelemetryStore(cut as TelemetryStore, migrations).then(
				() => false,
				(error: Error) => {
					if (error.message === 'cut') return true
					throw error
				},
			)
		}
		expect(attempts).toBeGreaterThan(10 / step)
		expect(await contentOf(store)).toEqual(before)
	})
})
