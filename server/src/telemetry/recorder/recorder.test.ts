import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestStore, type TestStore } from '../../platform/clickhouse/testing.ts'
import { encodeSpanBlock } from '../blocks/span-block.ts'
import { spanBlockFormat } from '../span-columns.ts'
import type { LogRecorder } from './recorder.ts'
import {
	announceNote,
	concludeNote,
	createNotes,
	deadStore,
	makeLogDirectory,
	makeRowsBy,
	notes,
	openNotesRecorder,
	spanOf,
	storedNotes,
	until,
} from './testing.ts'

let engine: TestStore
let log: Awaited<ReturnType<typeof makeLogDirectory>>
let recorder: LogRecorder | undefined

beforeAll(async () => {
	engine = await startTestStore()
})
afterAll(() => engine.close())
beforeEach(async () => {
	log = await makeLogDirectory()
	await createNotes(engine.store, 'notes')
})
afterEach(async () => {
	await recorder?.close(0)
	recorder = undefined
	await engine.store.command('DROP TABLE notes')
	await log.remove()
})

async function open(options: Partial<Parameters<typeof openNotesRecorder>[0]> = {}): Promise<LogRecorder> {
	recorder = await openNotesRecorder({ directory: log.directory, store: engine.store, ...options })
	return recorder
}

async function shipped(of: LogRecorder): Promise<void> {
	await until(() => of.stats().pendingRows === 0)
}

test('appended rows and outcomes reach the store once, announcements do not', async () => {
	const log = await open()
	await log.append(notes(['a', 'b']))
	const intent = await announceNote(log, 'c')
	await concludeNote(log, intent)
	await shipped(log)
	expect(await storedNotes(engine.store)).toEqual(['a ok', 'b ok', 'c ok'])
	expect(log.stats()).toMatchObject({
		acknowledgedRows: 3,
		storedRows: 3,
		pendingRows: 0,
		damagedRows: 0,
		openCalls: 0,
	})
})

test('while the store is unavailable, rows wait in the log, also over a restart, and the stats stay correct', async () => {
	const before = await open({ store: deadStore })
	for (let n = 0; n < 50; n++) await before.append(notes([`n${n}`]))
	expect(before.stats()).toMatchObject({ acknowledgedRows: 50, storedRows: 0, pendingRows: 50 })
	await before.close(0)
	const after = await open()
	await shipped(after)
	expect((await storedNotes(engine.store)).length).toBe(50)
	expect(after.stats()).toMatchObject({ acknowledgedRows: 50, storedRows: 50, damagedRows: 0 })
	await after.close(0)
	const again = await open()
	expect(again.stats()).toMatchObject({
		acknowledgedRows: 50,
		storedRows: 50,
		pendingRows: 0,
		damagedRows: 0,
	})
})

test('after a restart with a log whose rows are all stored, the store is not asked again and again', async () => {
	const before = await open()
	await before.append(notes(['a']))
	await shipped(before)
	await before.close(0)
	let asked = 0
	const currentRun = () => {
		asked += 1
		return engine.store.currentRun()
	}
	await open({ store: { ...engine.store, currentRun } })
	await sleep(500)
	expect(asked).toBe(0)
	await recorder?.append(notes(['b']))
	await shipped(recorder as LogRecorder)
	expect(await storedNotes(engine.store)).toEqual(['a ok', 'b ok'])
	expect(asked).toBe(1)
})

test('a call that its process did not finish is recorded as interrupted exactly once, whatever the number of restarts', async () => {
	const before = await open()
	await announceNote(before, 'cut off')
	await before.close(0)
	for (let restart = 0; restart < 3; restart++) {
		const after = await open()
		await shipped(after)
		expect(await storedNotes(engine.store)).toEqual(['cut off interrupted'])
		expect(after.stats().acknowledgedRows).toBe(1)
		await after.close(0)
	}
})

test('an interrupted call stays one row while the store is unavailable over several restarts', async () => {
	const before = await open({ store: deadStore })
	await announceNote(before, 'cut off')
	await before.append(notes(['holds the segment']))
	await before.close(0)
	for (let restart = 0; restart < 3; restart++) await (await open({ store: deadStore })).close(0)
	const after = await open()
	await shipped(after)
	expect(await storedNotes(engine.store)).toEqual(['cut off interrupted', 'holds the segment ok'])
})

test('a second recorder on the same directory is refused', async () => {
	await open()
	await expect(openNotesRecorder({ directory: log.directory, store: engine.store })).rejects.toThrow('in use')
})

test('the live tail gets the rows of calls once they are built, and other rows as they are recorded', async () => {
	const make = makeRowsBy((id) => ({
		rowFormat: spanBlockFormat,
		count: 1,
		bytes: encodeSpanBlock([spanOf(id, 'error')]),
	}))
	const log = await open({ store: deadStore, make })
	const seen: string[] = []
	const stop = log.onRecorded((rows) => seen.push(...rows.map((row) => `${row.name} ${row.status}`)))
	const intent = await announceNote(log, 'call')
	await concludeNote(log, intent)
	await log.whenRowsMade()
	await log.append({ ...notes(['row']), spans: [spanOf('row', 'ok')] })
	stop()
	await log.append({ ...notes(['later']), spans: [spanOf('later', 'ok')] })
	expect(seen).toEqual(['call error', 'row ok'])
})

test('pending rows are stored at once when somebody reads them, however long they would wait otherwise', async () => {
	const log = await open({ tuning: { batchDelayMs: 60_000 } })
	for (const id of ['a', 'b']) {
		await log.append(notes([id]))
		log.storeSoon()
		await shipped(log)
	}
	expect(await storedNotes(engine.store)).toEqual(['a ok', 'b ok'])
})

test('a stream is stored later while nobody reads, and at once for the first reader', async () => {
	const log = await open({ tuning: { batchDelayMs: 100 } })
	const stream = (part: string) => notes(Array.from({ length: 300 }, (_, at) => `${part}${at}`))
	await log.append(stream('a'))
	await shipped(log)
	for (const part of 'bcdef') {
		await sleep(200)
		await log.append(stream(part))
	}
	// A reader would have had the first of them by now.
	expect(log.stats().pendingRows).toBe(1500)
	expect(await log.watched()).toBe(true)
	expect(log.stats().pendingRows).toBe(0)
	expect(await storedNotes(engine.store)).toHaveLength(1800)
	expect(await log.watched()).toBe(false)
})

test('an outcome can be recorded only once', async () => {
	const log = await open()
	const intent = await announceNote(log, 'c')
	await concludeNote(log, intent)
	await expect(concludeNote(log, intent)).rejects.toThrow('not announced')
})

test('a large record that arrives while more of the segment is being prepared is not overwritten', async () => {
	const before = await open({ store: deadStore })
	for (let round = 0; round < 15; round++) {
		// For this long nothing is prepared after a large record.
		await sleep(110)
		await before.append(notes([`begins ${round}`]))
		await sleep(10)
		const appended: Promise<boolean>[] = []
		for (let part = 0; part < 4; part++) {
			appended.push(before.append(notes([`small ${round} ${part}`], 's'.repeat(150_000))))
			await turn()
		}
		appended.push(before.append(notes([`large ${round}`], 'l'.repeat(900_000))))
		await Promise.all(appended)
	}
	await before.close(0)
	const after = await open()
	await shipped(after)
	expect(after.stats()).toMatchObject({ damagedRecords: 0, damagedRows: 0 })
	expect((await storedNotes(engine.store)).length).toBe(15 * 6)
})
