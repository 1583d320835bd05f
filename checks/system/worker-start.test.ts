import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
	childrenOf,
	newDataDir,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'

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

async function freePort(): Promise<number> {
	const listener = createServer()
	await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
	const { port } = listener.address() as AddressInfo
	await new Promise((done) => listener.close(done))
	return port
}

it('the program says that it is ready only when its workers are started, and a signal would end it in order', async () => {
	const dataDir = newDataDir()
	const port = String(await freePort())
	const before = childrenOf(process.pid)
	const starting = startProgram(dataDir, { SIGNALBOX_WORKERS: '2', SIGNALBOX_PORT: port })
	const statuses = new Set<number>()
	const status = () =>
		fetch(`http://127.0.0.1:${port}/readyz`).then(
			(answer) => answer.status,
			() => 0,
		)
	while (!statuses.has(200)) statuses.add(await status())
	const [pid = 0] = childrenOf(process.pid).filter((child) => !before.includes(child))
	const [, caught = ''] = /^SigCgt:\t([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
	// Node itself catches the others.
	expect((BigInt(`0x${caught}`) >> BigInt(constants.signals.SIGHUP - 1)) & 1n).toBe(1n)
	expect([...statuses].sort()).toEqual([0, 200, 503])
	expect(await (await starting).kill('SIGTERM')).toEqual({ code: 0, signal: null })
	removeDataDir(dataDir)
})
