import { existsSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestStore, type TestStore } from '../../platform/clickhouse/testing.ts'
import { segmentPath } from './log-files.ts'
import type { Recorder } from './recorder.ts'
import {
	createNotes,
	deadStore,
	makeLogDirectory,
	notes,
	openNotesRecorder,
	storedNotes,
	until,
} from './testing.ts'

let engine: TestStore
let log: Awaited<ReturnType<typeof makeLogDirectory>>
let recorder: Recorder | undefined
let nowMs = Date.now()

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
	await engine.store.command('DROP TABLE notes')
	await log.remove()
})

async function open(options: Partial<Parameters<typeof openNotesRecorder>[0]> = {}): Promise<Recorder> {
	await recorder?.close(0)
	recorder = await openNotesRecorder({
		directory: log.directory,
		store: engine.store,
		segmentBytes: 8 * 1024,
		clock: { nowMs: () => nowMs, deletionMs: () => nowMs },
		...options,
	})
	return recorder
}
const key = (letter: string) => letter.repeat(32)
const keyed = (id: string, letter: string) => ({ ...notes([id]), key: key(letter) })
const shipped = (of: Recorder) => until(() => of.stats().pendingRows === 0)

test('rows under a key are recorded once, also when sent concurrently and across restarts', async () => {
	const before = await open({ store: deadStore })
	const answers = await Promise.all([before.append(keyed('one', 'a')), before.append(keyed('one', 'a'))])
	expect(answers).toEqual([true, false])
	const after = await open()
	expect(await after.append(keyed('one', 'a'))).toBe(false)
	expect(await after.append(keyed('two', 'b'))).toBe(true)
	await shipped(after)
	expect(await (await open()).append(keyed('two', 'b'))).toBe(false)
	expect(await storedNotes(engine.store)).toEqual(['one ok', 'two ok'])
})

test('a key is still known after the segment with its rows is deleted', async () => {
	const before = await open()
	await before.append(keyed('first', 'a'))
	for (let n = 0; n < 40; n++) await before.append(notes([`n${n}`], 'x'.repeat(1000)))
	await shipped(before)
	await until(() => !existsSync(segmentPath(log.directory, 1)))
	expect(await before.append(keyed('first', 'a'))).toBe(false)
	expect(await (await open()).append(keyed('first', 'a'))).toBe(false)
})

test('a key is forgotten after 15 minutes', async () => {
	const before = await open()
	await before.append(keyed('once', 'a'))
	nowMs += 15 * 60 * 1000 + 60_000
	expect(await before.append(keyed('again', 'a'))).toBe(true)
})

test('the oldest keys are dropped when there are more than the log remembers', async () => {
	const before = await open()
	for (let n = 0; n < 60; n++) await before.append({ ...notes([`n${n}`]), key: String(n).padStart(32, '0') })
	expect(await before.append({ ...notes(['n59']), key: String(59).padStart(32, '0') })).toBe(false)
	expect(await before.append({ ...notes(['n0']), key: String(0).padStart(32, '0') })).toBe(true)
})

test('rows that were refused are recorded when they are sent again', async () => {
	const full = await open({ store: deadStore, maxBytes: 64 * 1024, reserveBytes: 63 * 1024 })
	await expect(full.append({ ...notes(['big'], 'x'.repeat(2000)), key: key('a') })).rejects.toMatchObject({
		code: 'recorder_full',
	})
	const after = await open()
	expect(await after.append({ ...notes(['big'], 'x'.repeat(2000)), key: key('a') })).toBe(true)
})
