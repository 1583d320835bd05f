import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestStore, type TestStore } from '../../platform/clickhouse/testing.ts'
import type { RowStore } from './insert-missing.ts'
import type { LogRecorder } from './recorder.ts'
import {
	announceNote,
	concludeNote,
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
let recorder: LogRecorder

beforeAll(async () => {
	engine = await startTestStore()
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

const open = async (options: Partial<Parameters<typeof openNotesRecorder>[0]> = {}) => {
	recorder = await openNotesRecorder({ directory: log.directory, store: engine.store, ...options })
}
const settled = () => until(() => recorder.stats().pendingRows === 0)
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `n${String(n).padStart(6, '0')}`)
const inLog = (pattern: RegExp, folder = '') =>
	readdirSync(join(log.directory, folder)).filter((name) => pattern.test(name))
const asStored = (ids: readonly string[]) => ids.map((id) => `${id} ok`)

/** A log that is quickly full: 16 KiB segments, 128 KiB in all. */
const small = { maxBytes: 128 * 1024, reserveBytes: 32 * 1024 }
const filler = 'x'.repeat(1000)

test('a batch whose answer was lost is sent again without duplicating rows', async () => {
	let lost = 0
	const forgetful: RowStore = {
		async insertRowBinary(insert) {
			await engine.store.insertRowBinary(insert)
			if (lost++ < 3) throw new Error('socket hang up')
		},
	}
	await open({ store: forgetful })
	await recorder.append(notes(['a', 'b']))
	await settled()
	expect(lost).toBe(4)
	expect(await storedNotes(engine.store)).toEqual(['a ok', 'b ok'])
})

test('rows reach the store once although its engine is killed repeatedly', async () => {
	await open()
	const ids: string[] = []
	const append = async () => {
		ids.push(`n${String(ids.length).padStart(6, '0')}`)
		await recorder.append(notes(ids.slice(-1)))
	}
	for (let kill = 0; kill < 4; kill++) {
		for (const until = performance.now() + Math.random() * 60; performance.now() < until; ) await append()
		const pid = engine.store.enginePid()
		if (!pid) throw new Error('The engine does not run')
		process.kill(pid, 'SIGKILL')
		while ([pid, undefined].includes(engine.store.enginePid())) await append()
	}
	await settled()
	expect(await storedNotes(engine.store)).toEqual(asStored(ids))
	expect(recorder.stats()).toMatchObject({ acknowledgedRows: ids.length, storedRows: ids.length })
})

test('a full log refuses appends and calls before anything happened, accepts every outcome, and accepts everything again once shipped', async () => {
	let isAway = true
	const store: RowStore = {
		insertRowBinary: (insert) => (isAway ? deadStore : engine.store).insertRowBinary(insert),
	}
	await open({ store, ...small })
	const calls = await Promise.all(['c1', 'c2', 'c3'].map((id) => announceNote(recorder, id)))
	const kept: string[] = []
	const fill = async () => {
		for (const id of numbered(1000)) {
			await recorder.append(notes([id], filler))
			kept.push(id)
		}
	}
	await expect(fill()).rejects.toMatchObject({
		code: 'recorder_full',
		status: 503,
		headers: { 'retry-after': '5' },
	})
	await expect(announceNote(recorder, 'refused')).rejects.toMatchObject({
		code: 'recorder_full',
	})
	for (const call of calls) await concludeNote(recorder, call)
	expect(recorder.stats().walBytes).toBeLessThan(small.maxBytes)
	expect(kept.length).toBeGreaterThan(30)
	isAway = false
	await settled()
	await recorder.append(notes(['then']))
	await settled()
	expect(await storedNotes(engine.store)).toEqual(asStored(['c1', 'c2', 'c3', ...kept, 'then']))
	expect(recorder.stats()).toMatchObject({
		damagedRows: 0,
		pendingRows: 0,
		acknowledgedRows: kept.length + 4,
	})
})

test('shipped segments are removed; a call that is still open is copied forward and interrupted once', async () => {
	await open({ segmentBytes: 8 * 1024 })
	await announceNote(recorder, 'open')
	const finished = await announceNote(recorder, 'long')
	const ids = numbered(60)
	for (const id of ids) await recorder.append(notes([id], filler))
	await settled()
	await until(() => inLog(/\.seg$/).length === 1)
	await concludeNote(recorder, finished)
	for (let restart = 0; restart < 2; restart++) {
		await recorder.close(1000)
		await open({ segmentBytes: 8 * 1024 })
		await settled()
	}
	expect(await storedNotes(engine.store)).toEqual(['long ok', ...asStored(ids), 'open interrupted'])
	expect(recorder.stats()).toMatchObject({ acknowledgedRows: 62, storedRows: 62, damagedRows: 0 })
})

test('records that the store refuses as bad data are quarantined alone, and the rest is stored', async () => {
	await open({ tuning: { batchDelayMs: 200 } })
	const ids = numbered(40)
	await Promise.all(ids.map((id, n) => recorder.append(notes([n % 17 === 5 ? 'poison' : id]))))
	await until(() => recorder.stats().quarantinedRows === 3 && recorder.stats().pendingRows === 0)
	expect(await storedNotes(engine.store)).toEqual(asStored(ids.filter((_, n) => n % 17 !== 5)))
	expect(recorder.stats()).toMatchObject({ acknowledgedRows: 40, storedRows: 37, damagedRows: 0 })
	expect(inLog(/\.records$/, 'quarantine').length).toBe(3)
	await recorder.close(0)
	await open()
	await recorder.append(notes(['later']))
	await settled()
	expect(recorder.stats()).toMatchObject({ acknowledgedRows: 41, storedRows: 38, quarantinedRows: 3 })
})

test('errors of the store that the data did not cause never quarantine rows', async () => {
	await engine.store.command('RENAME TABLE notes TO away')
	await open()
	await recorder.append(notes(['patient']))
	await until(() => recorder.stats().shipFailure?.includes('does not exist') === true)
	await new Promise((resolve) => setTimeout(resolve, 300))
	expect(recorder.stats()).toMatchObject({ pendingRows: 1, quarantinedRows: 0 })
	await engine.store.command('RENAME TABLE away TO notes')
	await settled()
	expect(await storedNotes(engine.store)).toEqual(['patient ok'])
})

test('a store that hangs delays the shutdown by two seconds at most, and nothing is lost', async () => {
	await open({ store: { insertRowBinary: () => new Promise(() => undefined) } })
	await recorder.append(notes(['patient']))
	const startedAt = performance.now()
	await recorder.close(100)
	expect(performance.now() - startedAt).toBeLessThan(4000)
	await open()
	await settled()
	expect(await storedNotes(engine.store)).toEqual(['patient ok'])
})
