import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { keepStopped } from './keep-stopped.ts'
import { compare } from './stored.ts'
import { newLedger } from './writers.ts'

const stoppedS = process.env.LONG_TESTS ? 60 : 3
const spansPerS = process.env.LONG_TESTS ? 5000 : 1000
const requestsPerS = 10
const spansPerRequest = spansPerS / requestsPerS

const dataDir = newDataDir()
const ledger = newLedger()
let program: Program
let token: string

beforeAll(async () => {
	program = await startProgram(dataDir)
	token = (await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)).token
})
afterAll(async () => {
	await program?.kill('SIGTERM')
	removeDataDir(dataDir)
})

it(`no acknowledged span is lost or duplicated while the engine is stopped for ${stoppedS} s, and the backlog is stored afterwards`, async () => {
	expect(program.children()).toHaveLength(1)
	await send()
	await until(async () => (await pendingRows()) === 0)
	const resume = keepStopped(program)
	await sendFor(stoppedS)
	const backlog = await pendingRows()
	expect(backlog).toBeGreaterThan(ledger.acknowledged.size * 0.9)
	resume()
	const startedAtMs = performance.now()
	await until(async () => (await pendingRows()) === 0)
	const tookS = (performance.now() - startedAtMs) / 1000
	const result = await compare(program, 'otlp', ledger)
	console.log(
		`engine stopped for ${stoppedS} s at ${spansPerS} spans/s: ${backlog} rows waited, caught up in ${tookS.toFixed(1)} s (${(stoppedS / tookS).toFixed(1)} × real time); ${ledger.acknowledged.size} acknowledged, lost ${result.lost.length}, doubled ${result.doubled.length}`,
	)
	expect(ledger.acknowledged.size).toBeGreaterThan(stoppedS * spansPerS * 0.5)
	expect(result).toEqual({ lost: [], doubled: [], unknown: [] })
}, 600_000)

async function sendFor(seconds: number): Promise<void> {
	const sending: Promise<void>[] = []
	for (let n = 0; n < seconds * requestsPerS; n += 1) {
		sending.push(send())
		await pause(1000 / requestsPerS)
	}
	await Promise.all(sending)
}

async function send(): Promise<void> {
	const traceIds = Array.from({ length: spansPerRequest }, () => randomBytes(16).toString('hex'))
	for (const traceId of traceIds) ledger.sent.add(traceId)
	const now = BigInt(Date.now()) * 1_000_000n
	const spans = traceIds.map((traceId) => ({
		traceId,
		spanId: traceId.slice(0, 16),
		name: 'steady',
		kind: 1,
		startTimeUnixNano: String(now),
		endTimeUnixNano: String(now + 1000n),
	}))
	const response = await fetch(`${program.url}/v1/traces`, {
		method: 'POST',
		headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
		body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
	})
	await response.arrayBuffer()
	if (response.status === 200) for (const traceId of traceIds) ledger.acknowledged.add(traceId)
}

async function pendingRows(): Promise<number> {
	const response = await fetch(`${program.url}/metrics`)
	return Number(/^signalbox_telemetry_pending_rows (\d+)/m.exec(await response.text())?.[1] ?? Number.NaN)
}

async function until(holds: () => Promise<boolean>): Promise<void> {
	for (let attempt = 0; attempt < 2400; attempt += 1) {
		if (await holds()) return
		await pause(50)
	}
	throw new Error('The condition was not met within 120 s')
}

function pause(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms))
}
