import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrateTelemetryStore, type TelemetryStore } from '../platform/clickhouse/index.ts'
import { startTestStore, type TestStore } from '../platform/clickhouse/testing.ts'
import { type Columns, namesOf, withoutRetention } from './columns.ts'
import { logColumns } from './logs/log-columns.ts'
import { pointColumns } from './metrics/point-columns.ts'
import { telemetryMigrationsFor } from './migrations.ts'
import { ledgerList, ledgerLists, spanColumnsWithLists } from './span-columns.ts'

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
		`INSERT INTO spans (workspace_id, started_at, trace_id, span_id, name, kind, source, attributes, cost_nano_usd, ${namesOf(ledgerLists)})
		SELECT if(number % 3 = 0, 'w1', 'w2'), ${times}, unhex(leftPad(hex(number), 32, '0')), unhex(leftPad(hex(number), 16, '0')),
			concat('n', toString(number)), 'tool_call', 'otlp', map('k', toString(number)), if(number % 2 = 0, NULL, number),
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

const lists = new Set(namesOf(ledgerLists))
const columns = {
	spans: spanColumnsWithLists.filter(([name]) => !lists.has(name)),
	logs: logColumns,
	metrics: pointColumns,
}

/** The number of rows, and the content of the previous columns in all of them, independent of order. */
async function contentOf(store: TelemetryStore): Promise<unknown> {
	const [{ stored } = { stored: 0 }] = await store.query<{ stored: number }>(
		"SELECT count() AS stored FROM system.columns WHERE table = 'spans' AND name = 'ledger_price' AND default_kind = ''",
	)
	const ledger = ledgerLists.map(([name]) => (Number(stored) ? name : ledgerList(name))).join(', ')
	const ledgers = await store.query(
		`SELECT sum(cityHash64(name, toString(tuple(${ledger})))) AS hash, sum(length(${Number(stored) ? 'ledger_price' : ledgerList('ledger_price')})) AS lines FROM spans`,
	)
	const read = ([table, all]: [string, Columns]) =>
		store.query(
			`SELECT count() AS rows, sum(cityHash64(toString(tuple(${namesOf(withoutRetention(all))})))) AS hash FROM ${table}`,
		)
	return Promise.all([ledgers, ...Object.entries(columns).map(read)])
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
