import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { root } from '../src/source-files.ts'

const source = join(root, 'checks/langfuse')

// server/src/telemetry/scores/langfuse-scores.test.ts tests recordings of what these SDKs send, on every machine.
describe.runIf(process.env.LONG_TESTS)("Langfuse's SDKs with host and keys alone", () => {
	const dataDir = newDataDir()
	const folder = mkdtempSync(join(tmpdir(), 'signalbox-langfuse-'))
	let program: Program
	beforeAll(async () => {
		program = await startProgram(dataDir)
	})
	afterAll(async () => {
		await program?.kill('SIGTERM')
		removeDataDir(dataDir)
		rmSync(folder, { recursive: true, force: true })
	})

	// Asynchronous: with spawnSync, this process would not notice when the program closes an idle connection, and would reuse it.
	const run = async (command: string, args: string[], more: Record<string, string> = {}) => {
		const child = spawn(command, args, {
			cwd: folder,
			env: { ...process.env, ...more },
			stdio: ['ignore', 'ignore', 'pipe'],
		})
		const stderr = text(child.stderr)
		const status = await new Promise<number | null>((resolve) => {
			child.once('error', () => resolve(null))
			child.once('close', resolve)
		})
		return { status, stderr: await stderr }
	}

	/** Runs a script with a new ingest token and checks the calls and scores that it produced. */
	async function expectUnderstood(command: string, script: string): Promise<void> {
		const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: script }, 201)
		const before = await readReceived()
		const { status, stderr } = await run(command, [script], {
			...{ LANGFUSE_HOST: program.url, LANGFUSE_BASE_URL: program.url },
			...{ LANGFUSE_PUBLIC_KEY: 'pk-lf-any', LANGFUSE_SECRET_KEY: token },
		})
		expect([status, status === 0 ? '' : stderr]).toEqual([0, ''])
		await vi.waitFor(async () => {
			const now = await readReceived()
			expect(now.calls - before.calls).toBe(1)
			expect(now.scores.slice(0, now.scores.length - before.scores.length).sort()).toEqual([
				'helpful 0.9',
				'of session 1',
				'ok true',
			])
		}, 10_000)
	}

	async function readReceived(): Promise<{ calls: number; scores: string[] }> {
		const { calls } = await program.api<{ calls: number }>('GET', '/v1/spotlight/overview?model=gpt-5')
		const { scores } = await program.api<{ scores: { name: string; value: unknown }[] }>('GET', '/v1/scores')
		return { calls, scores: scores.map(({ name, value }) => `${name} ${value}`) }
	}

	it.for(['3.15.0', '5.0.4'])('Python %s', { timeout: 600_000 }, async (version, { skip }) => {
		const home = join(folder, version)
		const python = join(home, 'bin/python')
		const pip = ['-m', 'pip', '--quiet', '--retries=1', 'install', `langfuse==${version}`]
		if ((await run('python3', ['-m', 'venv', home])).status !== 0 || (await run(python, pip)).status !== 0)
			return skip('there is no Python, or its packages cannot be fetched')
		await expectUnderstood(python, join(source, 'agent.py'))
	})

	it('JavaScript 5', async ({ skip }) => {
		cpSync(source, folder, { recursive: true })
		const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder]
		const installed = await run('npm', ['install', ...flags])
		if (installed.status !== 0) return skip(`the packages cannot be fetched: ${installed.stderr}`)
		await expectUnderstood(process.execPath, join(folder, 'agent.mjs'))
	}, 600_000)
})
