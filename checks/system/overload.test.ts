import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { startEverythingServer } from '../../server/src/servers/testing.ts'
import { callTool, type WriterTargets } from './writers.ts'

const floodMs = process.env.LONG_TESTS ? 8000 : 1500
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('a flood of telemetry', () => {
	const dataDir = newDataDir()
	let program: Program
	let upstream: Awaited<ReturnType<typeof startEverythingServer>>
	let targets: WriterTargets

	beforeAll(async () => {
		upstream = await startEverythingServer()
		// Low enough that the flood from one machine exceeds the limit for telemetry, but not the one for calls, which is 16 times as high.
		program = await startProgram(dataDir, { SIGNALBOX_OVERLOAD_LAG_MS: '6' })
		targets = await setUp(program, upstream.url)
	})
	afterAll(async () => {
		await program?.kill('SIGTERM')
		await upstream?.close()
		removeDataDir(dataDir)
	})

	const ingest = (body: string) =>
		fetch(`${program.url}/v1/traces`, {
			method: 'POST',
			headers: { authorization: `Bearer ${targets.ingestToken}`, 'content-type': 'application/json' },
			body,
		})
	const figure = async (name: string) => {
		const text = await (await fetch(`${program.url}/metrics`)).text()
		return Number(text.match(new RegExp(`^${name} (\\S+)$`, 'm'))?.[1])
	}

	it('is partly refused, while calls succeed and health probes are answered', async () => {
		const startMs = performance.now()
		const refusals: { status: number; code: number; retryAfter: string | null }[] = []
		// A turn of the event loop takes as long as the requests that have arrived, so a fast machine needs many senders to be late.
		const isFlooding = () => {
			const elapsedMs = performance.now() - startMs
			return elapsedMs < floodMs || (refusals.length === 0 && elapsedMs < 10 * floodMs)
		}
		const flood = Array.from({ length: 96 }, async () => {
			while (isFlooding()) {
				const response = await ingest(spans(40))
				const body = (await response.json()) as { code?: number }
				if (response.status !== 200)
					refusals.push({
						status: response.status,
						code: body.code ?? -1,
						retryAfter: response.headers.get('retry-after'),
					})
			}
		})
		const calls: number[] = []
		while (isFlooding()) {
			const startedMs = performance.now()
			expect(await callTool(targets, randomBytes(16).toString('hex'))).toBe(true)
			calls.push(performance.now() - startedMs)
			expect((await fetch(`${program.url}/livez`)).status).toBe(200)
			await pause(20)
		}
		await Promise.all(flood)
		expect(await figure('signalbox_shed_ingest_requests')).toBeGreaterThan(0)
		expect(await figure('signalbox_shed_calls_requests')).toBe(0)
		for (const { status, code, retryAfter } of refusals) {
			expect([429, 503]).toContain(status)
			expect([8, 14]).toContain(code)
			expect(Number(retryAfter)).toBeGreaterThan(0)
		}
		const slowest = calls.toSorted((a, b) => a - b)[Math.floor(calls.length * 0.99)] as number
		console.log(
			`${refusals.length} ingest requests refused; ${calls.length} calls done, p99 ${slowest.toFixed(0)} ms`,
		)
	}, 60_000)

	it('no longer causes refusals after it has ended', async () => {
		await expect.poll(() => figure('signalbox_overload_level'), { timeout: 30_000 }).toBe(0)
		expect((await ingest(spans(1))).status).toBe(200)
	}, 60_000)
})

function spans(count: number): string {
	const start = BigInt(Date.now()) * 1_000_000n
	const traceId = randomBytes(16).toString('hex')
	const list = Array.from({ length: count }, () => ({
		traceId,
		spanId: randomBytes(8).toString('hex'),
		name: 'flood',
		kind: 1,
		startTimeUnixNano: String(start),
		endTimeUnixNano: String(start + 1000n),
		attributes: [{ key: 'text', value: { stringValue: 'x'.repeat(200) } }],
	}))
	return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: list }] }] })
}

async function setUp(program: Program, serverUrl: string): Promise<WriterTargets> {
	/** Retries, because a busy machine may be overloaded even before the flood. */
	const create = async <T>(path: string, body: object): Promise<T> => {
		for (let attempt = 0; attempt < 50; attempt += 1)
			try {
				return await program.api<T>('POST', path, body, 201)
			} catch (error) {
				if (!String(error).includes('"code":"overloaded"')) throw error
				await pause(200)
			}
		throw new Error(`${path} was refused as overloaded for 10 s.`)
	}
	const server = await create<{ id: string; slug: string }>('/v1/mcp/servers', {
		name: 'Everything',
		url: serverUrl,
	})
	const agent = await create<{ uuid: string }>('/v1/agents', { name: 'Flood' })
	const { key } = await create<{ key: string }>(`/v1/agents/${agent.uuid}/keys`, { name: 'k' })
	await create(`/v1/mcp/servers/${server.id}/access`, { agent_uuid: agent.uuid, access_mode: 'all' })
	const { token } = await create<{ token: string }>('/v1/ingest-tokens', { name: 't' })
	return { url: () => program.url, ingestToken: token, agentKey: key, serverSlug: server.slug }
}
