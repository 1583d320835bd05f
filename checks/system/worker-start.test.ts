import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newDataDir, removeDataDir, startProgram } from '../../server/src/program/program.testing.ts'

it('if a worker cannot start, the other processes serve and it is restarted until it serves', async () => {
	const other = newDataDir()
	// The worker cannot create its log while a file has the name of the folder.
	const inTheWay = join(other, 'wal-1')
	writeFileSync(inTheWay, '')
	const alone = await startProgram(other, { SIGNALBOX_WORKERS: '2' })
	try {
		const workers = async () => {
			const ready = await fetch(`${alone.url}/readyz?verbose`)
			return [ready.status, ((await ready.json()) as { checks: { workers: string } }).checks.workers]
		}
		expect(await workers()).toEqual([200, 'worker 1 does not serve; it is being started'])
		expect(alone.log.join('')).toMatch(/"level":"error".*Worker 1 .*"a worker could not be started/)
		rmSync(inTheWay)
		await expect.poll(workers, { timeout: 120_000 }).toEqual([200, 'ok'])
		expect(await alone.kill('SIGTERM')).toEqual({ code: 0, signal: null })
	} finally {
		await alone.kill('SIGKILL')
		removeDataDir(other)
	}
})
