import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { openPrimaryProcesses, type Processes } from '../../platform/processes/processes.ts'
import { newTestWorker } from '../../platform/processes/testing.ts'
import { withClaims } from './across-processes.ts'
import type { Recorder } from './recorder.ts'
import { notes, openNotesRecorder } from './testing.ts'

const directory = mkdtempSync(join(tmpdir(), 'signalbox-claims-'))
const open: Recorder[] = []
afterAll(async () => {
	await closeAll(open)
	rmSync(directory, { recursive: true, force: true })
})

const closeAll = (recorders: Recorder[]) => Promise.all(recorders.map((recorder) => recorder.close(0)))

/** The logs of a program of three processes. Their content stays on disk. */
async function openProcesses(life: string) {
	const primary = openPrimaryProcesses()
	const workers = [newTestWorker(primary, 1), newTestWorker(primary, 2)]
	const recorders: Recorder[] = []
	for (const processes of [primary, ...workers]) recorders.push(await openRecorderOf(life, processes))
	return { primary, recorders, workers }
}

async function openRecorderOf(
	life: string,
	processes: Processes,
	othersReported = Promise.resolve(),
): Promise<Recorder> {
	const store = { insertRowBinary: () => new Promise<void>(() => {}) }
	const recorder = await openNotesRecorder({
		directory: join(directory, `${life}-${processes.number}`),
		store,
	})
	open.push(recorder)
	return withClaims(recorder, { processes, nowMs: systemClock.nowMs, othersReported })
}

const keyed = (key: string) => ({ ...notes([key]), key })
const newKey = () => randomBytes(16).toString('hex')

it('rows sent to several processes, concurrently or one after the other, are recorded by one of them', async () => {
	const { recorders } = await openProcesses('once')
	const keys = Array.from({ length: 20 }, newKey)
	const sent = keys.flatMap((key) =>
		[...recorders, ...recorders].map((recorder) => recorder.append(keyed(key))),
	)
	const isNew = await Promise.all(sent)
	expect(isNew.filter(Boolean)).toHaveLength(keys.length)
	for (const recorder of recorders)
		for (const key of keys) expect(await recorder.append(keyed(key))).toBe(false)
	const rows = recorders.reduce((sum, recorder) => sum + recorder.stats().acknowledgedRows, 0)
	expect(rows).toBe(keys.length)
})

it('no process records a key of a killed worker until that worker is back and has read its log', async () => {
	const { primary, recorders, workers } = await openProcesses('gone')
	const key = newKey()
	await recorders[2]?.append(keyed(key))
	const sentAgain = () => recorders[1]?.append(keyed(key))
	workers[1]?.end()
	await expect(sentAgain()).rejects.toMatchObject({ code: 'store_unavailable' })
	expect(await recorders[1]?.append(keyed(newKey()))).toBe(true)
	await open.at(-1)?.close(0)
	const back = newTestWorker(primary, 2)
	await expect(sentAgain()).rejects.toMatchObject({ code: 'store_unavailable' })
	await openRecorderOf('gone', back)
	expect(await sentAgain()).toBe(false)
})

it('after a restart of all processes, nobody records a key that may be in a log that is not read yet', async () => {
	const key = newKey()
	const { recorders } = await openProcesses('restart')
	await recorders[1]?.append(keyed(key))
	await closeAll(open.slice(-3))
	const primary = openPrimaryProcesses()
	const started = Promise.withResolvers<void>()
	const first = await openRecorderOf('restart', primary, started.promise)
	const sentAgain = first.append(keyed(key))
	await openRecorderOf('restart', newTestWorker(primary, 1))
	await openRecorderOf('restart', newTestWorker(primary, 2))
	// What workers report arrives before their readiness message.
	setImmediate(started.resolve)
	expect(await sentAgain).toBe(false)
	expect(await first.append(keyed(newKey()))).toBe(true)
})
