import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { openCrashStage } from './crash-stage.ts'
import { keepStopped } from './keep-stopped.ts'
import { callTool, type WriterTargets } from './writers.ts'

const dataDir = newDataDir()
let stage: Awaited<ReturnType<typeof openCrashStage>>
let program: Program
let targets: WriterTargets

beforeAll(async () => {
	stage = await openCrashStage()
	program = await startProgram(dataDir, { SIGNALBOX_WAL_MAX_BYTES: String(16 * 1024 * 1024) })
	targets = { url: () => program.url, ...(await stage.setUp(program)) }
})
afterAll(async () => {
	await program?.kill('SIGTERM')
	await stage?.close()
	removeDataDir(dataDir)
})

const call = () => callTool(targets, randomBytes(16).toString('hex'))
const choose = (mode: string) => program.api('PUT', '/v1/call-recording', { mode })

it('with a full log calls are refused, or in best-effort mode served and counted, and recording recovers by itself', async () => {
	expect(await call()).toBe(true)
	const resume = keepStopped(program)
	for (let n = 0; n < 40; n += 1) await fill(512 * 1024)
	let recorded = 0
	while (recorded < 5000 && (await call())) recorded += 1
	expect(recorded).toBeLessThan(5000)
	expect(await call()).toBe(false)
	await choose('best-effort')
	expect([await call(), await call()]).toEqual([true, true])
	expect(await figure('unrecorded_calls')).toBe(2)
	await choose('required')
	expect(await call()).toBe(false)
	resume()
	for (let attempt = 0; attempt < 300 && !(await call()); attempt += 1)
		await new Promise((resolve) => setTimeout(resolve, 100))
	expect(await call()).toBe(true)
	expect(await figure('unrecorded_calls')).toBe(2)
}, 120_000)

/** Sends one log record of the given size. Near the end, when the instance accepts no more telemetry, it may be refused. */
async function fill(bytes: number): Promise<void> {
	const record = {
		timeUnixNano: String(BigInt(Date.now()) * 1_000_000n),
		body: { stringValue: 'x'.repeat(bytes) },
	}
	const response = await fetch(`${program.url}/v1/logs`, {
		method: 'POST',
		headers: { authorization: `Bearer ${targets.ingestToken}`, 'content-type': 'application/json' },
		body: JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }),
	})
	await response.arrayBuffer()
	expect([200, 429, 503]).toContain(response.status)
}

async function figure(name: string): Promise<number> {
	const text = await (await fetch(`${program.url}/metrics`)).text()
	return Number(new RegExp(`^signalbox_${name} (\\d+)`, 'm').exec(text)?.[1])
}
