import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../../../server/src/program/program.testing.ts'

/** While the log is full. */
const fullPauseMs = 500
/** A search is four queries of the engine: frequent ones would be most of what is measured. */
const checkEveryMs = 100

/** Repeatedly sends a span and searches for its trace; `stop` resolves with the times from answer to found, sorted. */
export function watchVisibility(
	program: Program,
	token: string,
	pauseMs: number,
): { stop(): Promise<number[]> } {
	const found: number[] = []
	const stopping = new AbortController()
	const { signal } = stopping
	const watch = async () => {
		while (!signal.aborted) {
			found.push(await sendAndFind(program, token))
			await sleep(pauseMs, null, { signal }).catch(() => null)
		}
	}
	const watching = watch()
	return {
		stop: async () => {
			stopping.abort()
			await watching
			return found.sort((a, b) => a - b)
		},
	}
}

async function sendAndFind(program: Program, token: string): Promise<number> {
	const traceId = randomBytes(16).toString('hex')
	const at = String(BigInt(Date.now()) * 1_000_000n)
	const span = {
		traceId,
		spanId: traceId.slice(16),
		name: 'seen',
		startTimeUnixNano: at,
		endTimeUnixNano: at,
	}
	const send = () =>
		fetch(`${program.url}/v1/traces`, {
			method: 'POST',
			headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
			body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
		})
	let response = await send()
	for (; response.status === 503; response = await send()) await sleep(fullPauseMs)
	if (response.status !== 200) throw new Error(`The receiver answered ${response.status}`)
	const answeredMs = performance.now()
	const isThere = () =>
		program.api('GET', `/v1/telemetry/traces/${traceId}`).then(
			() => true,
			() => false,
		)
	while (!(await isThere())) await sleep(checkEveryMs)
	return performance.now() - answeredMs
}
