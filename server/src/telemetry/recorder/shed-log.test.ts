import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestStore, type TestStore } from '../../platform/clickhouse/testing.ts'
import { openPrimaryProcesses } from '../../platform/processes/processes.ts'
import { newTestWorker } from '../../platform/processes/testing.ts'
import { openShedOfAll } from './across-processes.ts'
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

const canary = 'canary-of-a-session'
const subject = { workspaceId: 'ws_1', value: canary, beforeMs: Date.now() + 60_000 }
const waitMs = 10_000

let engine: TestStore
let log: Awaited<ReturnType<typeof makeLogDirectory>>
let recorders: LogRecorder[]
beforeAll(async () => {
	engine = await startTestStore()
})
afterAll(() => engine.close())
beforeEach(async () => {
	log = await makeLogDirectory()
	recorders = []
	await createNotes(engine.store, 'notes')
})
afterEach(async () => {
	for (const recorder of recorders) await recorder.close(0)
	await engine.store.command('DROP TABLE notes')
	await log.remove()
})

async function open(name = 'wal', store: Parameters<typeof openNotesRecorder>[0]['store'] = engine.store) {
	const directory = join(log.directory, name)
	mkdirSync(directory, { recursive: true })
	const recorder = await openNotesRecorder({ directory, store })
	recorders.push(recorder)
	return recorder
}
/** The files of all logs that contain a text. */
const filesWith = (text: string) =>
	readdirSync(log.directory, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name))
		.filter((file) => readFileSync(file).includes(text))

it('rows that are in the store leave the log at once, and later records are accepted as usual', async () => {
	const recorder = await open()
	await recorder.append({ ...notes([canary]), key: '1'.repeat(32) })
	await until(() => recorder.stats().pendingRows === 0)
	expect(filesWith(canary)).toHaveLength(1)
	const appended = Promise.all(Array.from({ length: 50 }, (_, n) => recorder.append(notes([`n${n}`]))))
	expect(await recorder.shedSubject(subject, waitMs)).toBe(true)
	expect(filesWith(canary)).toEqual([])
	await appended
	expect(await recorder.append({ ...notes([canary]), key: '1'.repeat(32) })).toBe(false)
	await recorder.append(notes(['then']))
	await until(() => recorder.stats().pendingRows === 0)
	expect(await storedNotes(engine.store)).toHaveLength(52)
	expect(recorder.stats()).toMatchObject({ acknowledgedRows: 52, storedRows: 52, damagedRows: 0 })
})

it('a running call of the subject is waited for; one of another subject is copied forward', async () => {
	const recorder = await open()
	const others = await announceNote(recorder, 'of another')
	const own = await announceNote(recorder, canary)
	expect(await recorder.shedSubject(subject, waitMs)).toBe(false)
	const later = { ...subject, beforeMs: 0 }
	expect(await recorder.shedSubject(later, waitMs)).toBe(true)
	await concludeNote(recorder, own)
	expect(await recorder.shedSubject(subject, waitMs)).toBe(true)
	expect(filesWith(canary)).toEqual([])
	await concludeNote(recorder, others)
	await until(() => recorder.stats().pendingRows === 0)
	expect(await storedNotes(engine.store)).toEqual([`${canary} ok`, 'of another ok'])
})

it('while the store is unavailable nothing is shed, and no segment is started for it', async () => {
	const recorder = await open('wal', deadStore)
	await recorder.append(notes([canary]))
	await until(() => recorder.stats().shipFailure !== null)
	expect(await recorder.shedSubject(subject, waitMs)).toBe(false)
	expect(readdirSync(join(log.directory, 'wal')).filter((name) => name.endsWith('.seg'))).toHaveLength(1)
})

it('quarantined records of the subject are removed, those of others stay', async () => {
	const recorder = await open()
	await recorder.append(notes(['poison'], canary))
	await recorder.append({ ...notes(['poison'], canary), workspaceId: 'ws_2' })
	await recorder.append(notes(['poison'], 'of another'))
	await until(() => recorder.stats().quarantinedRows === 3)
	expect(await recorder.shedSubject(subject, waitMs)).toBe(true)
	expect(filesWith(canary)).toEqual(filesWith('ws_2'))
	expect(filesWith(canary)).toHaveLength(1)
	expect(filesWith('of another')).toHaveLength(1)
})

it('the logs of all processes shed it, each after it has seen every change; if one process does not answer, none reports success', async () => {
	const primary = openPrimaryProcesses()
	const worker = newTestWorker(primary, 1)
	const [first, second] = [await open('wal'), await open('wal-1')]
	let caughtUp = 0
	const feed = { catchUp: async () => void caughtUp++ }
	const shedAll = openShedOfAll({ recorder: first, feed, processes: primary }, 2)
	openShedOfAll({ recorder: second, feed, processes: worker }, 2)
	for (const recorder of [first, second]) await recorder.append(notes([canary]))
	const own = await announceNote(second, canary)
	expect(await shedAll(subject)).toBe(false)
	await concludeNote(second, own)
	expect(await shedAll(subject)).toBe(true)
	expect(filesWith(canary)).toEqual([])
	expect(caughtUp).toBe(4)
	worker.end()
	await expect(shedAll(subject)).rejects.toMatchObject({ code: 'store_unavailable' })
})
