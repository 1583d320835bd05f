import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { sendMix } from '../../bench/src/ingest/send-mix.ts'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'

/** The memory controller of control groups, version 1: only root may make groups, and containers usually cannot. */
const groups = '/sys/fs/cgroup/memory'
const group = join(groups, `signalbox-${process.pid}`)
const isPossible = process.env.LONG_TESTS !== undefined && makeGroup()

describe.skipIf(!isPossible)('with 768 MiB of memory', () => {
	const dataDir = newDataDir()
	let program: Program | undefined
	afterAll(async () => {
		await program?.kill('SIGKILL')
		removeDataDir(dataDir)
		// Killed processes may not have left it yet.
		while (!removeGroup()) await sleep(100)
	})

	it('stores all of a burst of telemetry that is sent as fast as it is accepted, and answers queries', async () => {
		// The program and its engine see the limit where a container would: at the root of the controller.
		const enter = `echo $$ > ${group}/cgroup.procs; exec unshare -m sh -c 'mount --bind ${group} ${groups}; exec "$@"' sh "$@"`
		program = await startProgram(dataDir, {}, { prefix: ['sh', '-c', enter, 'sh'] })
		const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)
		const receiver = { url: program.url, grpcUrl: '', token }
		const sent = await sendMix(receiver, { format: 'protobuf', senders: 8, forMs: 15_000 })
		expect(sent.spans).toBeGreaterThan(20_000)
		const figures = () => program?.api<{ stored_rows: number }>('GET', '/v1/instance/recorder')
		for (let left = 60; left > 0 && (await figures())?.stored_rows !== sent.spans; left -= 1)
			await sleep(1000)
		expect(await figures()).toMatchObject({ stored_rows: sent.spans, ship_failure: null })
		const { calls } = await program.api<{ calls: number }>('GET', '/v1/spotlight/overview')
		expect(calls).toBeGreaterThan(sent.spans / 20)
		expect(readFileSync(join(group, 'memory.oom_control'), 'utf8')).toContain('oom_kill 0')
	})
})

function makeGroup(): boolean {
	try {
		execFileSync('unshare', ['-m', 'true'])
		mkdirSync(group)
		writeFileSync(join(group, 'memory.limit_in_bytes'), String(768 * 1024 ** 2))
		return true
	} catch {
		return false
	}
}

function removeGroup(): boolean {
	try {
		rmdirSync(group)
		return true
	} catch {
		return false
	}
}
