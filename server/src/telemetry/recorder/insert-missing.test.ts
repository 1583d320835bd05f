import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { encodeSpanBlock } from '../blocks/span-block.ts'
import { callHours } from '../rollups/rollup-tables.ts'
import { otherRowFormats } from '../row-formats.ts'
import { spanBlockFormat, spanColumnNames, spanRowFormat } from '../span-columns.ts'
import { newSpanRow } from '../span-row.ts'
import { encodeSpanRow } from '../span-row-binary.ts'
import { startTelemetryStore } from '../store.testing.ts'
import type { RowInsert, RowStore } from './insert-missing.ts'
import { rowStoreOf } from './insert-missing.ts'
import { openRecorder } from './open-recorder.ts'
import { makeLogDirectory, until } from './testing.ts'

let engine: TestStore
beforeAll(async () => {
	engine = await startTelemetryStore()
})
afterAll(() => engine.close())

const dayNs = 86_400_000_000_000n
const startNs = BigInt(Date.UTC(2026, 10, 20)) * 1_000_000n
const span = (spanId: string, day: bigint) =>
	newSpanRow({
		...{ workspaceId: 'ws_1', traceId: 'ab'.repeat(16), spanId, name: 'call' },
		...{ source: 'gateway', kind: 'tool_call', startNs: startNs + day * dayNs, status: 'ok' },
	})

/** Rows of two partitions, one of them twice: the duplicate is in what is sent, so it must be in what is stored. */
const sent = [span('01'.repeat(8), 0n), span('02'.repeat(8), 1n), span('02'.repeat(8), 1n)]

const storedOnce = [
	{ id: '01'.repeat(8), n: '1' },
	{ id: '02'.repeat(8), n: '2' },
]
const storedIn = ({ store }: TestStore) =>
	store.query<{ id: string; n: string }>(
		'SELECT lower(hex(span_id)) AS id, count() AS n FROM spans GROUP BY id ORDER BY id',
	)
const stored = () => storedIn(engine)
const marks = () => engine.store.query(`SELECT DISTINCT hour FROM ${callHours} ORDER BY hour`)

const forms = [
	{ form: 'rows', rowFormat: spanRowFormat, bytes: Buffer.concat(sent.map(encodeSpanRow)) },
	{ form: 'a block', rowFormat: spanBlockFormat, bytes: encodeSpanBlock(sent) },
]

test.each(forms)(
	'after a power cut, a batch of $form is completed without duplicates',
	async ({ rowFormat, bytes }) => {
		for (const table of ['spans', callHours]) await engine.store.command(`TRUNCATE TABLE ${table}`)
		const log = await makeLogDirectory()
		const options = { directory: log.directory, log: silentLog, clock: systemClock }
		// The rows are stored, but neither the answer nor the token survives the power cut.
		const cutOff: RowStore = {
			insertRowBinary: async (insert) => {
				await engine.store.insertRowBinary({ ...insert, deduplicationToken: 'forgotten' })
				throw new Error('socket hang up')
			},
		}
		const before = await openRecorder({ ...options, store: cutOff })
		await before.append({ workspaceId: 'ws_1', rowFormat, count: sent.length, bytes })
		await until(async () => (await stored()).length === 2)
		await before.close(0)
		const marked = await marks()
		await engine.store.command("ALTER TABLE spans DROP PARTITION ID '30-20261121'")
		// Before the log is read, the calls that are left are priced again, and mapped again by another program with a newer mapper.
		await engine.store.command(
			"ALTER TABLE spans UPDATE cost_nano_usd = 7, ledger = 'other' WHERE 1 SETTINGS mutations_sync = 2",
		)
		await engine.store.command('CREATE TABLE remapped AS spans')
		await engine.store.command(
			`INSERT INTO remapped (${spanColumnNames.join(', ')}) SELECT * REPLACE ('model_call' AS kind, 'found' AS session_id, 30 AS mapper_version)
			FROM (SELECT ${spanColumnNames.join(', ')} FROM spans)`,
		)
		await engine.store.command('EXCHANGE TABLES remapped AND spans')
		await engine.store.command('DROP TABLE remapped SYNC')
		await engine.store.command(`TRUNCATE TABLE ${callHours}`)
		const after = await openRecorder({ ...options, store: rowStoreOf(engine.store) })
		await until(() => after.stats().pendingRows === 0)
		await after.close(0)
		expect(await stored()).toEqual(storedOnce)
		expect(await marks()).toEqual(marked)
		await log.remove()
	},
)

test('an insert that outlives its program is not duplicated by the next run of the program', async () => {
	await engine.store.command('TRUNCATE TABLE spans')
	const log = await makeLogDirectory()
	const options = { directory: log.directory, log: silentLog, clock: systemClock }
	let late: RowInsert | undefined
	const before = await openRecorder({
		...options,
		store: {
			...rowStoreOf(engine.store),
			insertRowBinary: async (insert) => {
				late = { ...insert, rows: Buffer.from(insert.rows) }
				throw new Error('socket hang up')
			},
		},
	})
	await before.append({
		...{ workspaceId: 'ws_1', rowFormat: spanBlockFormat },
		...{ count: sent.length, bytes: encodeSpanBlock(sent) },
	})
	await until(() => late !== undefined)
	await before.close(0)
	const busy: typeof engine.store.insertRowBinary = async (insert) => {
		const first = insert.table === 'spans' && late
		late = first ? undefined : late
		if (first) await engine.store.insertRowBinary(first)
		await engine.store.insertRowBinary(insert)
	}
	const after = await openRecorder({
		...options,
		store: rowStoreOf({ ...engine.store, insertRowBinary: busy }),
	})
	await until(() => after.stats().pendingRows === 0)
	await after.close(0)
	expect(late).toBe(undefined)
	expect(await stored()).toEqual(storedOnce)
	await log.remove()
})

test('rows are not lost when the engine is killed after it noted their token and before they became visible', async () => {
	const killed = await startTelemetryStore({ fresh: true })
	const log = await makeLogDirectory()
	let kills = 0
	const recorder = await openRecorder({
		...{ directory: log.directory, log: silentLog, clock: systemClock },
		store: {
			...rowStoreOf(killed.store),
			insertRowBinary: async (insert) => {
				await killed.store.insertRowBinary(insert)
				if (kills++ === 0) await loseParts(killed)
			},
		},
	})
	await recorder.append({
		...{ workspaceId: 'ws_1', rowFormat: spanBlockFormat },
		...{ count: sent.length, bytes: encodeSpanBlock(sent) },
	})
	await until(() => recorder.stats().pendingRows === 0)
	await recorder.close(0)
	expect(await storedIn(killed)).toEqual(storedOnce)
	await killed.close()
	await log.remove()
}, 60_000)

/** Produces the state after such a kill: the table knows the tokens, and its new parts were never renamed into place. */
async function loseParts({ store }: TestStore): Promise<never> {
	const [table] = await store.query<{ paths: string[] }>(
		"SELECT data_paths AS paths FROM system.tables WHERE database = currentDatabase() AND name = 'spans'",
	)
	const run = await store.currentRun()
	process.kill(store.enginePid() as number, 'SIGKILL')
	for (const path of table?.paths ?? [])
		for (const name of readdirSync(path))
			if (/_\d+_\d+_\d+$/.test(name)) rmSync(join(path, name), { recursive: true })
	await until(async () => (await store.currentRun().catch(() => run)) !== run)
	throw new Error('socket hang up')
}

const formats = [
	...[...otherRowFormats.values()].filter(({ layouts }) => !layouts),
	{ table: 'spans', columns: spanColumnNames },
]

test.each(formats)('rows of $table are recognised by their content', async ({ table, columns }) => {
	await engine.store.command(`TRUNCATE TABLE ${table}`)
	await engine.store.command(
		`INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM generateRandom(${await structureOf(table, columns)}, 1, 3, 2) LIMIT 4`,
	)
	const insert = { table, columns, rows: await rowsOf(table, columns), deduplicationToken: `${table}/again` }
	const { insertMissing } = rowStoreOf(engine.store)
	await insertMissing?.(insert)
	expect(await countRows(table)).toBe(4)
	await engine.store.command(`TRUNCATE TABLE ${table}`)
	await insertMissing?.(insert)
	expect(await countRows(table)).toBe(4)
})

async function structureOf(table: string, columns: readonly string[]): Promise<string> {
	const types = await engine.store.query<{ name: string; type: string }>(
		'SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = {table:String}',
		{ table },
	)
	const typeOf = new Map(types.map(({ name, type }) => [name, type]))
	return `'${columns.map((name) => `${name} ${typeOf.get(name)?.replaceAll("'", "\\'")}`).join(', ')}'`
}

async function rowsOf(table: string, columns: readonly string[]): Promise<Buffer> {
	const { stream } = await engine.store.client.exec({
		query: `SELECT ${columns.join(', ')} FROM ${table} FORMAT RowBinary`,
	})
	const chunks: Buffer[] = []
	for await (const chunk of stream) chunks.push(chunk as Buffer)
	return Buffer.concat(chunks)
}

async function countRows(table: string): Promise<number> {
	const [row] = await engine.store.query<{ n: string }>(`SELECT count() AS n FROM ${table}`)
	return Number(row?.n)
}
