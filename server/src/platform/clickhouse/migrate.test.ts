import { afterEach, beforeEach, expect, it } from 'vitest'
import {
	durableSettings,
	findUndurableTables,
	migrateTelemetryStore,
	type TelemetryMigration,
} from './migrate.ts'
import { startTestStore, type TestStore } from './testing.ts'

let running: TestStore
beforeEach(async () => {
	running = await startTestStore()
})
afterEach(() => running?.close())

const first: TelemetryMigration = {
	id: 1,
	statements: [
		`CREATE TABLE IF NOT EXISTS things (a UInt64) ENGINE = MergeTree ORDER BY a ${durableSettings()}`,
	],
}
const second: TelemetryMigration = {
	id: 2,
	statements: [
		'ALTER TABLE things ADD COLUMN IF NOT EXISTS b String',
		'INSERT INTO things SELECT 1, {one:String}',
	],
}

it('migrations run once, in order, and are remembered', async () => {
	const { store } = running
	expect(await migrateTelemetryStore(store, [first])).toEqual([1])
	const added = { ...second, statements: second.statements.slice(0, 1) }
	expect(await migrateTelemetryStore(store, [first, added])).toEqual([2])
	expect(await migrateTelemetryStore(store, [first, added])).toEqual([])
	expect(await store.query('SELECT id FROM schema_migrations ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }])
})

it('a migration that failed half way runs again from its start', async () => {
	const { store } = running
	await expect(migrateTelemetryStore(store, [first, second])).rejects.toThrow('one')
	expect(await store.query('SELECT max(id) AS id FROM schema_migrations')).toEqual([{ id: 1 }])
	const mended = { id: 2, statements: [second.statements[0] ?? '', "INSERT INTO things SELECT 1, 'x'"] }
	expect(await migrateTelemetryStore(store, [first, mended])).toEqual([2])
	expect(await store.query('SELECT b FROM things')).toEqual([{ b: 'x' }])
})

it('a newer schema is refused with a message of one line', async () => {
	const { store } = running
	await migrateTelemetryStore(store, [first, { id: 2, statements: [] }])
	await expect(migrateTelemetryStore(store, [first])).rejects.toThrow(
		/^The telemetry store has schema version 2, this program knows 1: [^\n]+$/,
	)
})

it.each(['25.8.2.1', '26.1.9.15.altinitystable', '26.2'])(
	'ClickHouse %s is refused before anything is created',
	async (version) => {
		const { store } = running
		// Engines of other versions are too large for a test (500 MB each); the answer to this query is all that differs here.
		const old: typeof store = {
			...store,
			query: <Row>(...asked: Parameters<typeof store.query>) =>
				asked[0].includes('version()') ? Promise.resolve([{ version }] as Row[]) : store.query<Row>(...asked),
		}
		await expect(migrateTelemetryStore(old, [first])).rejects.toThrow(
			`ClickHouse ${version} is too old: upgrade the server of CLICKHOUSE_URL to 26.3 or newer`,
		)
		expect(
			await store.query('SELECT count() AS n FROM system.tables WHERE database = currentDatabase()'),
		).toEqual([{ n: '0' }])
	},
)

it('a table without the durability settings is found and refused', async () => {
	const { store } = running
	const careless = { id: 1, statements: ['CREATE TABLE loose (a UInt64) ENGINE = MergeTree ORDER BY a'] }
	await expect(migrateTelemetryStore(store, [careless])).rejects.toThrow(
		'without the durability settings: loose.',
	)
	expect(await findUndurableTables(store)).toEqual(['loose'])
})

it('ids that do not count from 1 are refused', async () => {
	await expect(migrateTelemetryStore(running.store, [second])).rejects.toThrow('Migration 2 is out of order')
})
