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
import { openRecorder, type RowStore, rowStoreOf } from './index.ts'
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

/** Rows of two partitions, one of them twice: in what is sent, so in what is stored. */
const sent = [span('01'.repeat(8), 0n), span('02'.repeat(8), 1n), span('02'.repeat(8), 1n)]

const stored = () =>
	engine.store.query<{ id: string; n: string }>(
		'SELECT lower(hex(span_id)) AS id, count() AS n FROM spans GROUP BY id ORDER BY id',
	)
const marks = () => engine.store.query(`SELECT DISTINCT hour FROM ${callHours} ORDER BY hour`)

const forms = [
	{ form: 'rows', rowFormat: spanRowFormat, bytes: Buffer.concat(sent.map(encodeSpanRow)) },
	{ form: 'a block', rowFormat: spanBlockFormat, bytes: encodeSpanBlock(sent) },
]

test.each(forms)(
	'what a power cut left of a batch of $form is completed and not doubled',
	async ({ rowFormat, bytes }) => {
		for (const table of ['spans', callHours]) await engine.store.command(`TRUNCATE TABLE ${table}`)
		const log = await makeLogDirectory()
		const options = { directory: log.directory, log: silentLog, clock: systemClock }
		// The rows are taken, and neither the answer nor the token outlives the cut.
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
		await engine.store.command(`TRUNCATE TABLE ${callHours}`)
		const after = await openRecorder({ ...options, store: rowStoreOf(engine.store) })
		await until(() => after.stats().pendingRows === 0)
		await after.close(0)
		expect(await stored()).toEqual([
			{ id: '01'.repeat(8), n: '1' },
			{ id: '02'.repeat(8), n: '2' },
		])
		expect(await marks()).toEqual(marked)
		await log.remove()
	},
)

const formats = [
	...[...otherRowFormats.values()].filter(({ layouts }) => !layouts),
	{ table: 'spans', columns: spanColumnNames },
]

test.each(formats)('rows of $table are known again by their content', async ({ table, columns }) => {
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
