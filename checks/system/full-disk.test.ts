import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { openCrashStage } from './crash-stage.ts'

const bin = fileURLToPath(new URL('../../server/bin/signalbox.mjs', import.meta.url))
const disk = newDataDir()
const dataDir = join(disk, 'data')
const foreign = join(disk, 'foreign')
const isMounted = mountSmallDisk()
const patience = { timeout: 20_000, interval: 100 }
const named = 'The disk of the data directory is full'

describe.skipIf(!isMounted)('on a full disk', () => {
	let stage: Awaited<ReturnType<typeof openCrashStage>>
	let program: Program
	let agentKey: string
	beforeAll(async () => {
		stage = await openCrashStage()
		program = await start()
		agentKey = (await stage.setUp(program)).agentKey
	}, 120_000)
	afterAll(async () => {
		await program?.kill('SIGKILL')
		await stage?.close()
		execFileSync('umount', ['--lazy', disk])
		removeDataDir(disk)
	})

	const ready = async () => {
		const response = await fetch(`${program.url}/readyz?verbose`)
		return [response.status, await response.text()] as const
	}
	const callModel = async () => {
		const response = await fetch(`${program.url}/proxy/openai/v1/chat/completions`, {
			method: 'POST',
			headers: { authorization: `Bearer ${agentKey}`, 'content-type': 'application/json' },
			body: JSON.stringify({ model: 'gpt-x', messages: [{ role: 'user', content: 'hi' }] }),
		})
		return [response.status, await response.text()] as const
	}

	it('health, API, calls and log report the full disk and how to free it, and everything recovers once it is freed', async () => {
		expect((await callModel())[0]).toBe(200)
		fillDisk()
		await expect.poll(async () => (await ready())[0], patience).toBe(503)
		const [, health] = await ready()
		expect(health).toContain(named)
		expect(health).toContain('shorten the retention of telemetry')
		expect(health).not.toContain(disk)
		expect(await callModel()).toEqual([503, expect.stringContaining(named)])
		// Small changes may still fit into existing database pages, so try many.
		const change = async (): Promise<string> => {
			const description = 'x'.repeat(490)
			for (let n = 0; n < 3000; n += 1) {
				const failure = await program
					.api('POST', '/v1/agents', { name: `Agent ${n}`, description }, 201)
					.then(() => null, String)
				if (failure !== null) return failure
			}
			return 'nothing was refused'
		}
		const refused = await change()
		expect(refused).toContain('"code":"disk_full"')
		expect(refused).toContain(named)
		expect(program.log.join('')).toMatch(
			/"level":"error".*the telemetry log takes no records\. The disk of the data directory is full/,
		)
		rmSync(foreign)
		await expect.poll(async () => (await ready())[0], patience).toBe(200)
		expect((await callModel())[0]).toBe(200)
	}, 120_000)

	it('startup fails with a message that names the full disk and how to free it', async () => {
		await program.kill('SIGTERM')
		fillDisk()
		const refused = await start().then(
			() => 'it started',
			(error: Error) => error.message,
		)
		expect(refused).toContain(`The disk that ${dataDir} is on is full`)
		expect(refused).toContain('To free it, delete or move other files on it')
		expect(await examine()).toMatchObject({ 'disk space': 'fail', program: 'ok', engine: 'ok' })
		rmSync(foreign)
		program = await start()
		expect((await ready())[0]).toBe(200)
	}, 120_000)
})

function start(): Promise<Program> {
	mkdirSync(dataDir, { recursive: true })
	return startProgram(dataDir, {
		SIGNALBOX_WAL_MAX_BYTES: String(64 * 1024 ** 2),
		SIGNALBOX_OVERLOAD_LAG_MS: '0',
	})
}

/** What `signalbox doctor` reports, by check. */
async function examine(): Promise<Record<string, string>> {
	const env = { PATH: process.env.PATH, SIGNALBOX_DATA_DIR: dataDir } as NodeJS.ProcessEnv
	const output = await new Promise<string>((resolve) => {
		execFile(process.execPath, [bin, 'doctor', '--json'], { env }, (_failed, out) => resolve(out))
	})
	const { findings } = JSON.parse(output) as { findings: { check: string; status: string }[] }
	return Object.fromEntries(findings.map(({ check, status }) => [check, status]))
}

/** Writes until the kernel returns ENOSPC, first in large blocks and then page by page. */
function fillDisk(): void {
	for (const bytes of [1024 * 1024, 4096])
		try {
			for (;;) writeFileSync(foreign, Buffer.alloc(bytes), { flag: 'a' })
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
		}
}

function mountSmallDisk(): boolean {
	try {
		execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m', 'none', disk], { stdio: 'ignore' })
		return true
	} catch {
		return false
	}
}
