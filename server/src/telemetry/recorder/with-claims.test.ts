import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { openPrimaryProcesses } from '../../platform/processes/processes.ts'
import { newTestWorker } from '../../platform/processes/testing.ts'
import type { Recorder } from './recorder.ts'
import { notes, openNotesRecorder } from './testing.ts'
import { withClaims } from './with-claims.ts'

const directory = mkdtempSync(join(tmpdir(), 'signalbox-claims-'))
const open: Recorder[] = []
afterAll(async () => {
	for (const recorder of open) await recorder.close(0)
	rmSync(directory, { recursive: true, force: true })
})

/** The logs of a program of three processes; what they hold stays there. */
async function openProcesses(life: string) {
	const primary = openPrimaryProcesses()
	const workers = [newTestWorker(primary, 1), newTestWorker(primary, 2)]
	const store = { insertRowBinary: () => new Promise<void>(() => {}) }
	const recorders: Recorder[] = []
	for (const processes of [primary, ...workers]) {
		const own = join(directory, `${life}-${processes.number}`)
		const recorder = await openNotesRecorder({ directory: own, store })
		open.push(recorder)
		recorders.push(withClaims(recorder, processes, systemClock.nowMs))
	}
	return { recorders, workers }
}

const keyed = (key: string) => ({ ...notes([key]), key })
const newKey = () => randomBytes(16).toString('hex')

it('what comes to several processes at once, or to one after the other, is recorded by one of them', async () => {
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

it('what a worker has that was killed is for nobody else to record until it is back', async () => {
	const { recorders, workers } = await openProcesses('gone')
	const key = newKey()
	await recorders[2]?.append(keyed(key))
	workers[1]?.end()
	await expect(recorders[1]?.append(keyed(key))).rejects.toMatchObject({ code: 'store_unavailable' })
	expect(await recorders[1]?.append(keyed(newKey()))).toBe(true)
})
