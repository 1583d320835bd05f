import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
	call,
	newDataDir,
	owner,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'

const dayMs = 24 * 60 * 60 * 1000
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const dataDir = newDataDir()
const shimDir = newDataDir()
const offsetFile = join(shimDir, 'offset')
let program: Program

/** Starts the real program with a clock that is ahead by the offset in `offsetFile`. */
beforeAll(async () => {
	const shim = join(shimDir, 'shift-clock.mjs')
	writeFileSync(offsetFile, '0')
	writeFileSync(
		shim,
		`import { readFileSync } from 'node:fs'
		const now = Date.now
		let offset = 0
		Date.now = () => now() + offset
		setInterval(() => { offset = Number(readFileSync(${JSON.stringify(offsetFile)}, 'utf8')) }, 50).unref()`,
	)
	program = await startProgram(
		dataDir,
		{ SIGNALBOX_OVERLOAD_LAG_MS: '0' },
		{ nodeFlags: ['--import', pathToFileURL(shim).href] },
	)
}, 60_000)
afterAll(async () => {
	await program?.kill('SIGTERM')
	removeDataDir(dataDir)
	removeDataDir(shimDir)
})

async function sendTraces(count: number): Promise<void> {
	const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)
	for (let n = 0; n < count; n += 1) {
		const startTimeUnixNano = String(BigInt(Date.now() - n * 60_000) * 1_000_000n)
		const traceId = randomBytes(16).toString('hex')
		const span = { traceId, spanId: traceId.slice(0, 16), name: 'kept', kind: 1, startTimeUnixNano }
		const response = await fetch(`${program.url}/v1/traces`, {
			method: 'POST',
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			body: JSON.stringify({
				resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, endTimeUnixNano: startTimeUnixNano }] }] }],
			}),
		})
		expect(response.status).toBe(200)
	}
}

const countTraces = async () => {
	const { traces } = await program.api<{ traces: unknown[] }>(
		'GET',
		'/v1/telemetry/traces?start=-2d&limit=100',
	)
	return traces.length
}
const clockNote = async () => {
	const ready = await fetch(`${program.url}/readyz?verbose`)
	return ((await ready.json()) as { checks: { clock: string } }).checks.clock
}

it('a clock that is temporarily 45 days ahead is reported, deletes no telemetry, and does not stop the jobs afterwards', async () => {
	await sendTraces(21)
	await expect.poll(countTraces, { timeout: 15_000 }).toBe(21)
	expect(await clockNote()).toBe('ok')
	writeFileSync(offsetFile, String(45 * dayMs))
	await expect.poll(clockNote, { timeout: 10_000 }).toContain('45 days ahead of what can be')
	// With the clock ahead, all hourly jobs are due at once.
	await pause(6000)
	// By this clock the access token has expired, so sign in again.
	const { token } = await call<{ token: string }>(program.url, 'POST', '/auth/login', owner, 200, '')
	const ask = (method: string, path: string) =>
		call<{ status: string }>(program.url, method, path, undefined, 200, token)
	expect(await ask('GET', '/v1/instance/clock')).toMatchObject({ status: 'unconfirmed' })
	expect(await ask('POST', '/v1/instance/clock/confirm')).toMatchObject({ status: 'doubted' })
	await pause(3000)
	writeFileSync(offsetFile, '0')
	await expect.poll(clockNote, { timeout: 10_000 }).toBe('ok')
	expect(await countTraces()).toBe(21)
	expect(program.log.join('')).toMatch(
		/"level":"error".*the clock is 45 days ahead.*instance\/clock\/confirm/,
	)
	expect(await program.api('GET', '/v1/instance/clock')).toMatchObject({ status: 'believed', ahead_ms: 0 })
	await program.api('POST', '/v1/instance/clock/confirm', undefined, 409)
	const { audit } = await program.api<{ audit: { action: string }[] }>(
		'GET',
		'/v1/audit?action=instance.confirm-clock',
	)
	expect(audit).toHaveLength(1)
	await expect.poll(() => program.log.join('')).toContain('jobs: the clock was set back')
}, 60_000)
