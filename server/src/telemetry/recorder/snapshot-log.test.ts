import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestStore, type TestStore } from '../../platform/clickhouse/testing.ts'
import type { LogSnapshot } from './recorder.ts'
import {
	announceNote,
	createNotes,
	deadStore,
	makeLogDirectory,
	notes,
	openNotesRecorder,
	until,
} from './testing.ts'

let engine: TestStore
beforeAll(async () => {
	engine = await startTestStore()
	await createNotes(engine.store, 'notes')
	await createNotes(engine.store, 'copied')
})
afterAll(() => engine.close())

async function writeSnapshot(log: LogSnapshot, directory: string): Promise<void> {
	for (const { path, read } of log.files) {
		mkdirSync(dirname(join(directory, path)), { recursive: true })
		await writeFile(join(directory, path), read())
	}
}

async function idsIn(table: string): Promise<string[]> {
	const rows = await engine.store.query<{ id: string }>(`SELECT id FROM ${table}`)
	return rows.map(({ id }) => id)
}

/** Without this limit, writers on a busy machine would fill the log faster than the engine can follow. */
const maxPending = 500

test('store and snapshot together hold everything acknowledged before, each row once, while rows are being written', async () => {
	const [log, copy] = await Promise.all([makeLogDirectory(), makeLogDirectory()])
	const tuning = { batchRows: 50, batchDelayMs: 1 }
	const recorder = await openNotesRecorder({
		directory: log.directory,
		store: engine.store,
		segmentBytes: 4096,
		tuning,
	})
	const acknowledged: string[] = []
	const write = async (ids: string[]) => {
		await recorder.append(notes(ids))
		acknowledged.push(...ids)
	}
	let writing = true
	const writers = [0, 1, 2].map(async (writer) => {
		for (let n = 0; writing; n += 1) {
			await until(() => recorder.stats().pendingRows < maxPending || !writing)
			await write([`${writer}-${n}-a`, `${writer}-${n}-b`])
		}
	})
	await announceNote(recorder, 'open call')
	await until(() => acknowledged.length > 2000)
	const before = [...acknowledged]
	// Writers that wait for answers send little while answers are delayed because the store falls behind.
	const burst = Array.from({ length: 1000 }, (_, n) => write([`burst-${n}`]))
	await until(() => recorder.stats().pendingRows > maxPending)
	const stored = await recorder.snapshot(async (snapshot) => {
		const ids = await idsIn('notes')
		await writeSnapshot(snapshot, copy.directory)
		expect(snapshot.pendingRows).toBeGreaterThan(0)
		return ids
	})
	writing = false
	await Promise.all([...writers, ...burst])
	const second = await openNotesRecorder({ directory: copy.directory, store: engine.store, table: 'copied' })
	await until(() => second.stats().pendingRows === 0)
	const together = [...stored, ...(await idsIn('copied'))]
	expect(new Set(together).size).toBe(together.length)
	expect(before.filter((id) => !together.includes(id))).toEqual([])
	expect(together.filter((id) => id === 'open call')).toEqual(['open call'])
	// The first log continued by itself.
	await until(() => recorder.stats().pendingRows === 0)
	expect((await idsIn('notes')).sort()).toEqual([...acknowledged].sort())
	await Promise.all([recorder.close(0), second.close(0)])
	await Promise.all([log.remove(), copy.remove()])
})

test('a store that does not take the log is reported as an error', async () => {
	const log = await makeLogDirectory()
	const recorder = await openNotesRecorder({
		directory: log.directory,
		store: deadStore,
		tuning: { holdWaitMs: 100 },
	})
	await recorder.append(notes(['a']))
	await until(() => recorder.stats().shipFailure !== null)
	await expect(recorder.snapshot(async () => 'done')).rejects.toThrow(
		/does not take the log: connect ECONNREFUSED/,
	)
	await recorder.close(0)
	await log.remove()
})
