import { Pool } from 'undici'

export interface Target {
	name: string
	/** The process to measure, if its processor time is wanted. */
	pid?: number
	origin: string
	/** A fixed path, or a function that returns that of the next request. */
	path: string | (() => string)
	headers: Record<string, string>
	/** Sent with POST, either fixed or that of the next request; without one the requests are GET. */
	body?: string | (() => string)
}

export interface Measured {
	requests: number
	errors: number
	perSecond: number
	p50Ms: number
	p99Ms: number
}

/** The ceiling: as fast as `connections` callers can go, each waiting for its answer. Failed requests count only as errors. */
export async function closedLoop(target: Target, connections: number, durationMs: number): Promise<Measured> {
	const pool = new Pool(target.origin, { connections })
	const latencies: number[] = []
	let errors = 0
	const endMs = performance.now() + durationMs
	const caller = async () => {
		while (performance.now() < endMs) {
			const startedMs = performance.now()
			if (await send(pool, target)) latencies.push(performance.now() - startedMs)
			else errors += 1
		}
	}
	await Promise.all(Array.from({ length: connections }, caller))
	await pool.close()
	return summarise(latencies, errors, durationMs)
}

/** Compiled code is stable after some 120,000 calls, however fast the machine is; until then V8's compiler still runs concurrently. */
const settledCalls = 120_000
const maxWarmUpMs = 60_000

/** Calls until the code of the target is compiled, or for a minute; `quick`: for two seconds. */
export async function warmUp(target: Target, connections: number, quick: boolean): Promise<void> {
	const endMs = performance.now() + (quick ? 2000 : maxWarmUpMs)
	for (let calls = 0; calls < settledCalls && performance.now() < endMs; )
		calls += (await closedLoop(target, connections, 1000)).requests
}

/** A constant rate, whatever the answers do; latency is measured from the time at which a request was due. */
export async function openLoop(target: Target, ratePerSecond: number, durationMs: number): Promise<Measured> {
	const pool = new Pool(target.origin, { connections: 64 })
	const latencies: number[] = []
	let errors = 0
	await paced(ratePerSecond, durationMs, async (dueMs) => {
		if (!(await send(pool, target))) errors += 1
		latencies.push(performance.now() - dueMs)
	})
	await pool.close()
	return summarise(latencies, errors, durationMs)
}

/** Starts work at a constant rate, whatever becomes of earlier work; resolves when all has ended. */
export async function paced(
	ratePerSecond: number,
	durationMs: number,
	start: (dueMs: number, index: number) => Promise<void>,
): Promise<void> {
	const running: Promise<void>[] = []
	const startMs = performance.now()
	const total = Math.floor((ratePerSecond * durationMs) / 1000)
	for (let index = 0; index < total; index += 1) {
		const dueMs = startMs + (index * 1000) / ratePerSecond
		await untilMs(dueMs)
		running.push(start(dueMs, index))
	}
	await Promise.all(running)
}

/** Whether it was answered with 200. */
export async function send(pool: Pool, target: Target): Promise<boolean> {
	const { headers } = target
	const body = typeof target.body === 'function' ? target.body() : target.body
	const path = typeof target.path === 'string' ? target.path : target.path()
	const response = await pool.request(
		body === undefined ? { method: 'GET', path, headers } : { method: 'POST', path, headers, body },
	)
	await response.body.arrayBuffer()
	return response.statusCode === 200
}

/** Timers have a resolution of a millisecond, so the last part is awaited by turns of the event loop. */
async function untilMs(dueMs: number): Promise<void> {
	const restMs = dueMs - performance.now()
	if (restMs > 2) await new Promise((resolve) => setTimeout(resolve, restMs - 1.5))
	while (performance.now() < dueMs) await new Promise((resolve) => setImmediate(resolve))
}

/** Figures of requests from their latencies, which it sorts in place. */
export function summarise(latencies: number[], errors: number, durationMs: number): Measured {
	latencies.sort((a, b) => a - b)
	const perSecond = (latencies.length * 1000) / durationMs
	return {
		requests: latencies.length,
		errors,
		perSecond,
		p50Ms: quantile(latencies, 0.5),
		p99Ms: quantile(latencies, 0.99),
	}
}

/** `sorted` must be in ascending order. */
export function quantile(sorted: readonly number[], share: number): number {
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
