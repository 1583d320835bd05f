import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { compare } from './stored.ts'
import { type Ledger, newLedger } from './writers.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0)
		return true
	} catch {
		return false
	}
}

async function until(holds: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
	for (const deadline = performance.now() + ms; performance.now() < deadline; await pause(10))
		if (await holds()) return true
	return false
}

async function ingestHeaders(program: Program): Promise<Record<string, string>> {
	const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)
	return { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
}

async function sendSpan(program: Program, headers: Record<string, string>, ledger: Ledger): Promise<void> {
	const traceId = randomBytes(16).toString('hex')
	const now = String(BigInt(Date.now()) * 1_000_000n)
	const span = {
		traceId,
		spanId: traceId.slice(0, 16),
		name: 's',
		kind: 1,
		startTimeUnixNano: now,
		endTimeUnixNano: now,
	}
	const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
	ledger.sent.add(traceId)
	if ((await fetch(`${program.url}/v1/traces`, { method: 'POST', headers, body })).ok)
		ledger.acknowledged.add(traceId)
}

it('the first SIGTERM waits for running requests, a second one ends the program at once, and no acknowledged record is lost', async () => {
	const dataDir = newDataDir()
	let program = await startProgram(dataDir)
	const headers = await ingestHeaders(program)
	const ledger = newLedger()
	for (let left = 50; left > 0; left--) await sendSpan(program, headers, ledger)
	// The request keeps running because its body never ends.
	const running = request(`${program.url}/v1/traces`, {
		method: 'POST',
		headers: { ...headers, 'content-length': 1000 },
	})
	running.on('error', () => {})
	running.write('{')
	await pause(200)

	const { pid } = program
	process.kill(pid, 'SIGTERM')
	await pause(1000)
	expect(isAlive(pid)).toBe(true)
	await expect(
		fetch(`${program.url}/readyz`).then(
			({ status }) => status,
			() => 'refused',
		),
	).resolves.not.toBe(200)
	process.kill(pid, 'SIGTERM')
	expect(await until(() => !isAlive(pid), 1000)).toBe(true)

	program = await startProgram(dataDir)
	expect(ledger.acknowledged.size).toBe(50)
	expect(await compare(program, 'otlp', ledger)).toEqual({ lost: [], doubled: [], unknown: [] })
	await program.kill('SIGTERM')
	removeDataDir(dataDir)
})

it('a terminal that closes, or a supervisor that signals the whole process group, stops the program in order', async () => {
	const dataDir = newDataDir()
	const program = await startProgram(dataDir)
	await sendSpan(program, await ingestHeaders(program), newLedger())
	const live = await fetch(`${program.url}/v1/telemetry/live`, {
		headers: { authorization: `Bearer ${program.token}` },
	})
	const streamed = live.text()
	for (const engine of program.children())
		for (const signal of ['SIGHUP', 'SIGTERM'] as const) process.kill(engine, signal)
	const startedAt = performance.now()
	process.kill(program.pid, 'SIGHUP')
	expect(await program.kill('SIGHUP')).toEqual({ code: 0, signal: null })
	// Who only listens is not waited for.
	expect(performance.now() - startedAt).toBeLessThan(20_000)
	expect([live.status, await streamed]).toEqual([200, expect.stringMatching(/^: signalbox/)])
	expect(program.log.join('').match(/"level":"(warn|error|fatal)".*/g) ?? []).toEqual([])
	removeDataDir(dataDir)
})

const bin = fileURLToPath(new URL('../../server/bin/signalbox.mjs', import.meta.url))

/** Starts the program as process 1 in a user namespace, as in an unprivileged container, without a reader of its standard error; sends SIGTERM after this line of its log. */
async function startAndStop(dataDir: string, line: string): Promise<number | null> {
	const namespaces = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child']
	const ports = { SIGNALBOX_PORT: '0', SIGNALBOX_OTLP_HTTP_PORT: '0', SIGNALBOX_OTLP_GRPC_PORT: '0' }
	const child = spawn('unshare', [...namespaces, process.execPath, bin, 'start'], {
		env: { PATH: process.env.PATH, SIGNALBOX_DATA_DIR: dataDir, ...ports },
		stdio: ['ignore', 'pipe', 'pipe'],
	})
	child.stderr.destroy()
	const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
	let text = ''
	for await (const chunk of child.stdout) {
		text += chunk
		if (!text.includes(line)) continue
		process.kill(Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')), 'SIGTERM')
		line = 'sent'
	}
	if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
	clearTimeout(timer)
	return child.exitCode
}

it('the first process of a container is stopped during its start too, and needs no reader of its standard error', async () => {
	const dataDir = newDataDir()
	expect(await startAndStop(dataDir, 'the control store was made')).toBe(143)
	// 143 if the signal comes before the end of the start.
	expect([0, 143]).toContain(await startAndStop(dataDir, '"msg":"ready"'))
	removeDataDir(dataDir)
})
