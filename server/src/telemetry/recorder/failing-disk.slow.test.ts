import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestStore, type TestStore } from '../../platform/clickhouse/testing.ts'
import { createLog } from '../../platform/log.ts'
import type { Fault } from './failing-files.testing.ts'
import type { RowStore } from './insert-missing.ts'
import { listSegments, segmentPath } from './log-files.ts'
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

const filesModule = fileURLToPath(new URL('./failing-files.testing.ts', import.meta.url))
const open = async () => {
	recorder = await openNotesRecorder({
		directory: log.directory,
		store: engine.store,
		log: createLog('error', { write: (line) => void lines.push(line) }),
		tuning: { filesModule },
	})
}
const lines: string[] = []

beforeAll(async () => {
	engine = await startTestStore()
})
afterAll(() => engine.close())
beforeEach(async () => {
	lines.length = 0
	log = await makeLogDirectory()
	await createNotes(engine.store, 'notes')
	await open()
})
afterEach(async () => {
	await recorder.close(0)
	await engine.store.command('DROP TABLE notes')
	await log.remove()
})

function order(fault: Fault): void {
	writeFileSync(join(log.directory, 'fault.json'), JSON.stringify(fault))
}
const mend = () => rmSync(join(log.directory, 'fault.json'), { force: true })
const restart = async () => {
	await recorder.close(0)
	await open()
}
const settled = () =>
	until(() => recorder.stats().pendingRows === 0 && recorder.stats().writeFailure === null)

test.each(['fdatasyncSync', 'writeSync'] as const)(
	'after a failed %s, refused records never appear, acknowledged records do, and the log continues',
	async (call) => {
		await recorder.append(notes(['before']))
		order({ call, ending: '.seg', code: 'EIO', once: true })
		await expect(recorder.append(notes(['refused']))).rejects.toMatchObject({ code: 'store_unavailable' })
		await until(() => recorder.stats().writeFailure === null)
		await recorder.append(notes(['after']))
		await restart()
		await settled()
		expect(await storedNotes(engine.store)).toEqual(['after ok', 'before ok'])
		expect(recorder.stats()).toMatchObject({
			acknowledgedRows: 2,
			storedRows: 2,
			damagedRows: 0,
			damagedRecords: 0,
		})
	},
)

test('an announcement that was not flushed when the disk failed is not lost', async () => {
	await announceNote(recorder, 'announced')
	const finished = await announceNote(recorder, 'finished')
	order({ call: 'fdatasyncSync', ending: '.seg', code: 'EIO', once: true })
	await expect(recorder.append(notes(['refused']))).rejects.toMatchObject({ code: 'store_unavailable' })
	await until(() => recorder.stats().writeFailure === null)
	await concludeNote(recorder, finished)
	await restart()
	await settled()
	expect(await storedNotes(engine.store)).toEqual(['announced interrupted', 'finished ok'])
})

test('on a full disk, calls are refused before anything happens; an outcome is recorded once there is space', async () => {
	const intent = await announceNote(recorder, 'call')
	order({ call: 'writeSync', ending: '.seg', code: 'ENOSPC', once: false })
	await expect(concludeNote(recorder, intent)).rejects.toMatchObject({ code: 'disk_full' })
	await expect(announceNote(recorder, 'refused')).rejects.toMatchObject({
		code: 'recorder_full',
		headers: { 'retry-after': '5' },
	})
	const tried = new Set<number>()
	const segments = listSegments(log.directory).length
	await until(() => tried.add(listSegments(log.directory).at(-1) as number).size > 2)
	expect(listSegments(log.directory).length).toBeLessThanOrEqual(segments + 1)
	expect(lines.filter((line) => line.includes('"error"')).length).toBe(2)
	expect(recorder.stats().writeFailure).toContain('ENOSPC')
	mend()
	await until(() => recorder.stats().writeFailure === null)
	await recorder.append(notes(['after']))
	await settled()
	expect(await storedNotes(engine.store)).toEqual(['after ok', 'call ok'])
	await restart()
	await settled()
	expect(await storedNotes(engine.store)).toEqual(['after ok', 'call ok'])
})

test.each(['fdatasyncSync', 'writeSync'] as const)(
	'a failed %s of the manifest neither loses nor duplicates rows',
	async (call) => {
		await recorder.append(notes(['one']))
		await settled()
		order({ call, ending: 'manifest.log', code: 'EIO', once: true })
		await recorder.append(notes(['two']))
		await settled()
		expect(existsSync(join(log.directory, 'fault.json'))).toBe(false)
		await restart()
		await settled()
		expect(await storedNotes(engine.store)).toEqual(['one ok', 'two ok'])
		expect(recorder.stats()).toMatchObject({ acknowledgedRows: 2, storedRows: 2, damagedRows: 0 })
	},
)

test('when files of a running log are deleted, it continues in new ones and duplicates nothing', async () => {
	await recorder.append(notes(['before']))
	await settled()
	for (const file of readdirSync(log.directory).filter((name) => /\.seg$|^manifest/.test(name)))
		rmSync(join(log.directory, file))
	await until(() => listSegments(log.directory).length > 0)
	await settled()
	await recorder.append(notes(['after']))
	await settled()
	await restart()
	await settled()
	expect(await storedNotes(engine.store)).toEqual(['after ok', 'before ok'])
})

test('rows and calls of a deleted segment are counted as lost, and what comes later is stored', async () => {
	await recorder.close(0)
	let stored: RowStore = deadStore
	const store: RowStore = { insertRowBinary: (insert) => stored.insertRowBinary(insert) }
	recorder = await openNotesRecorder({ directory: log.directory, store, tuning: { filesModule } })
	const intent = await announceNote(recorder, 'announced in it')
	await recorder.append(notes(['one', 'two']))
	const deleted = listSegments(log.directory).at(-1) as number
	rmSync(segmentPath(log.directory, deleted))
	await until(() => (listSegments(log.directory).at(-1) ?? 0) > deleted)
	await until(() => recorder.stats().writeFailure === null)
	await recorder.append(notes(['after']))
	await concludeNote(recorder, intent)
	await concludeNote(recorder, await announceNote(recorder, 'later call'))
	stored = engine.store
	await settled()
	expect(await storedNotes(engine.store)).toEqual(['after ok', 'later call ok'])
	const accounted = { acknowledgedRows: 4, storedRows: 2, damagedRows: 2, pendingRows: 0 }
	expect(recorder.stats()).toMatchObject(accounted)
	await restart()
	await settled()
	expect(recorder.stats()).toMatchObject(accounted)
})

test('the log continues when its thread dies', async () => {
	await recorder.append(notes(['before']))
	order({ call: 'fdatasyncSync', ending: '.seg', code: 'EXIT', once: true })
	await expect(recorder.append(notes(['refused']))).rejects.toMatchObject({ code: 'store_unavailable' })
	await until(() => recorder.stats().writeFailure === null)
	await recorder.append(notes(['after']))
	await restart()
	await settled()
	expect(await storedNotes(engine.store)).toEqual(['after ok', 'before ok'])
})

test('while the disk has no more free space than the reserve, calls and appends are refused', async () => {
	const intent = await announceNote(recorder, 'call')
	order({ call: 'statfsSync', ending: '', code: 'none', once: false })
	await until(() =>
		recorder.append(notes(['kept'])).then(
			() => false,
			(error) => error.code === 'recorder_full',
		),
	)
	await expect(announceNote(recorder, 'refused')).rejects.toMatchObject({
		code: 'recorder_full',
	})
	await concludeNote(recorder, intent)
	mend()
	await until(() =>
		recorder.append(notes(['later'])).then(
			() => true,
			() => false,
		),
	)
	await settled()
	expect(await storedNotes(engine.store)).toContain('later ok')
	expect(await storedNotes(engine.store)).toContain('call ok')
})
