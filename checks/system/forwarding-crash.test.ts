import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { type OtlpGate, openGate } from '../../server/src/telemetry/forwarders/stage.testing.ts'
import { startTelemetryServer, type TelemetryServer } from '../../server/src/telemetry/testing.ts'

const dataDir = newDataDir()
const rounds = 6
const perRound = 200
let receiver: TelemetryServer
let gate: OtlpGate
let program: Program

beforeAll(async () => {
	receiver = await startTelemetryServer()
	gate = await openGate(receiver.url)
	program = await startProgram(dataDir)
})
afterAll(async () => {
	await program?.kill('SIGTERM')
	await gate?.close()
	await receiver?.close()
	removeDataDir(dataDir)
})

it('after a kill while rows are being forwarded, all rows arrive after the restart', async () => {
	const headers = { authorization: 'ingest sink' }
	const out = { name: 'out', kind: 'otlp', url: gate.url, signals: ['spans'], headers }
	const { id } = await program.api<{ id: string }>('POST', '/v1/forwarders', out, 201)
	const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)
	for (let round = 0; round < rounds; round += 1) await sendSpans(token, round)
	// Let one request through, then leave the next one without a response.
	await vi.waitFor(() => expect(gate.requests.length).toBeGreaterThan(0), 20_000)
	gate.answer(() => {})
	await vi.waitFor(() => expect(gate.requests.length).toBeGreaterThan(1), 20_000)
	await program.kill('SIGKILL')
	gate.answer(null)
	if (!process.env.LONG_TESTS) endLeases()
	program = await startProgram(dataDir)
	await sendSpans(token, rounds)
	const expected = (rounds + 1) * perRound
	await vi.waitFor(async () => expect(await received()).toBe(expected), { timeout: 90_000, interval: 500 })
	await vi.waitFor(async () => {
		const { state } = await program.api<{ state: { sent: number }[] }>('GET', `/v1/forwarders/${id}`)
		expect(state[0]?.sent).toBe(expected)
	}, 20_000)
}, 180_000)

/** Ends the job leases of the killed program, which would expire after a minute. jobs.slow.test.ts covers that expiry. */
function endLeases(): void {
	const store = new DatabaseSync(join(dataDir, 'control.db'))
	// For a leased job, `run_at` is the end of the lease.
	const { changes } = store.prepare('UPDATE jobs SET run_at = 0 WHERE lease_holder IS NOT NULL').run()
	store.close()
	expect(changes).toBeGreaterThan(0)
}

async function sendSpans(token: string, round: number): Promise<void> {
	const startTimeUnixNano = String(BigInt(Date.now()) * 1_000_000n)
	const spans = Array.from({ length: perRound }, (_, i) => ({
		...{ traceId: 'ab'.repeat(16), spanId: (round * perRound + i + 1).toString(16).padStart(16, '0') },
		...{ name: 'n', kind: 1, startTimeUnixNano, endTimeUnixNano: startTimeUnixNano },
	}))
	const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
	const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
	const send = () => fetch(`${program.url}/v1/traces`, { method: 'POST', headers, body })
	// On a busy machine, overload protection rejects telemetry first, so retry.
	await vi.waitFor(async () => expect((await send()).status).toBe(200), { timeout: 30_000, interval: 500 })
}

/** The number of distinct spans received. Spans that were in flight during the kill may arrive twice. */
async function received(): Promise<number> {
	const sql = "SELECT uniqExact(span_id) AS n FROM spans WHERE workspace_id = 'sink'"
	return Number((await receiver.store.query<{ n: string }>(sql))[0]?.n)
}
