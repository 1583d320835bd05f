import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestStore, type TestStore } from '../../platform/clickhouse/testing.ts'
import { logColumnNames, logRowFormat } from '../logs/log-columns.ts'
import { spanBlockFormat } from '../span-columns.ts'
import { type RowInsert, type RowStore, rowStoreOf } from './insert-missing.ts'
import { encodedText } from './log-subject.ts'
import { isRefusedAsBadData } from './quarantine.ts'
import type { Recorder } from './recorder.ts'
import {
	createNotes,
	deadStore,
	encodeNote,
	makeLogDirectory,
	notes,
	openNotesRecorder,
	storedNotes,
	until,
} from './testing.ts'

// Rows of two tables share batches: notes, and log records, whose table here refuses malformed ones.

let engine: TestStore
let log: Awaited<ReturnType<typeof makeLogDirectory>>
let recorder: Recorder

beforeAll(async () => {
	engine = await startTestStore()
	await engine.store.command(
		`CREATE TABLE logs (${logColumnNames.map((name) => `\`${name}\` String`).join(', ')}) ENGINE = MergeTree ORDER BY tuple()`,
	)
})
afterAll(() => engine.close())
beforeEach(async () => {
	log = await makeLogDirectory()
	await createNotes(engine.store, 'notes')
})
afterEach(async () => {
	await recorder.close(0)
	await engine.store.command('DROP TABLE notes')
	await log.remove()
})

const malformed = { workspaceId: 'ws_1', rowFormat: logRowFormat, count: 1, bytes: Buffer.from('malformed') }
const ids = Array.from({ length: 12 }, (_, n) => `n${String(n).padStart(2, '0')}`)

/** Fills the log while the store is unavailable, so that everything becomes one batch. */
async function recordMixed(): Promise<void> {
	recorder = await openNotesRecorder({ directory: log.directory, store: deadStore })
	for (const [n, id] of ids.entries()) {
		await recorder.append(notes([id]))
		if (n % 4 === 1) await recorder.append(malformed)
	}
	await recorder.close(0)
}

async function ship(store: RowStore = engine.store): Promise<void> {
	recorder = await openNotesRecorder({ directory: log.directory, store })
	await until(() => recorder.stats().pendingRows === 0)
}

test('when rows of one table are refused, rows of another in the same batch are stored once', async () => {
	await recordMixed()
	await ship()
	expect(await storedNotes(engine.store)).toEqual(ids.map((id) => `${id} ok`))
	expect(recorder.stats()).toMatchObject({
		acknowledgedRows: 15,
		storedRows: 12,
		quarantinedRows: 3,
		damagedRows: 0,
	})
	expect(readdirSync(join(log.directory, 'quarantine')).length).toBe(3)
})

test('rows of a refused batch that are stored stay known after a crash in the middle of the bisection', async () => {
	await recordMixed()
	let refusals = 0
	const dies: RowStore = {
		insertRowBinary: (insert) =>
			++refusals > 6 ? new Promise(() => undefined) : engine.store.insertRowBinary(insert),
	}
	recorder = await openNotesRecorder({ directory: log.directory, store: dies })
	await until(() => refusals > 6)
	await recorder.close(0)
	await ship()
	expect(await storedNotes(engine.store)).toEqual(ids.map((id) => `${id} ok`))
	expect(recorder.stats()).toMatchObject({ acknowledgedRows: 15, storedRows: 12, quarantinedRows: 3 })
})

test('an undecodable block is quarantined alone', async () => {
	recorder = await openNotesRecorder({ directory: log.directory, store: deadStore })
	const unreadable = {
		workspaceId: 'ws_1',
		rowFormat: spanBlockFormat,
		count: 1,
		bytes: Buffer.from('no block'),
	}
	for (const rows of [notes(['n00']), unreadable, notes(['n01'])]) await recorder.append(rows)
	await recorder.close(0)
	await ship()
	expect(await storedNotes(engine.store)).toEqual(['n00 ok', 'n01 ok'])
	expect(recorder.stats()).toMatchObject({ storedRows: 2, quarantinedRows: 1, damagedRows: 0 })
})

test('a batch for which the store has too little memory is split until it fits, and no row is stored twice', async () => {
	const one = encodeNote('n00').length
	const sizes: number[] = []
	const insertRowBinary = async (insert: RowInsert) => {
		sizes.push(insert.rows.length)
		if (insert.rows.length <= 3 * one) return engine.store.insertRowBinary(insert)
		// The failed insert of a batch of several days has stored the rows of one of them.
		if (sizes.length === 1)
			await engine.store.insertRowBinary({ ...insert, rows: insert.rows.subarray(0, one) })
		throw Object.assign(new Error('(total) memory limit exceeded'), { type: 'MEMORY_LIMIT_EXCEEDED' })
	}
	const store = rowStoreOf({ ...engine.store, insertRowBinary })
	recorder = await openNotesRecorder({ directory: log.directory, store })
	// At once, so that they become one batch.
	await Promise.all(ids.map((id) => recorder.append(notes([id]))))
	await until(() => recorder.stats().pendingRows === 0)
	expect(await storedNotes(engine.store)).toEqual(ids.map((id) => `${id} ok`))
	expect(recorder.stats()).toMatchObject({ storedRows: 12, quarantinedRows: 0, damagedRows: 0 })
	expect(sizes[0]).toBe(12 * one)
})

test('a malformed block is bad data, which is quarantined, and a missing table is not', async () => {
	recorder = await openNotesRecorder({ directory: log.directory, store: engine.store })
	const refusalOf = (table: string, type: string) => {
		const rows = Buffer.concat([Buffer.from([1, 1]), ...['id', type, 'n00'].map(encodedText)])
		const insert = {
			table,
			columns: ['id'],
			format: 'Native' as const,
			rows,
			deduplicationToken: `t${type.length}`,
		}
		return engine.store.insertRowBinary(insert).then(
			() => null,
			(error) => isRefusedAsBadData(error),
		)
	}
	expect(await refusalOf('notes', 'String')).toBe(null)
	expect(await refusalOf('notes', '{"values":[]}')).toBe(true)
	expect(await refusalOf('notes', 'Strung')).toBe(true)
	expect(await refusalOf('no_notes', 'String')).toBe(false)
})
