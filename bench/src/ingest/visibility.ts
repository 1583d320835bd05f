import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../../../server/src/program.testing.ts'

const everyMs = 500
const lookEveryMs = 20

/** Sends a span twice a second and looks for its trace; `stop` resolves with the times from answer to found, in order. */
export function watchVisibility(program: Program, token: string): { stop(): Promise<number[]> } {
	const looks: Promise<number>[] = []
	const timer = setInterval(() => looks.push(sendAndFind(program, token)), everyMs)
	return {
		stop: async () => {
			clearInterval(timer)
			return (await Promise.all(looks)).sort((a, b) => a - b)
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
	const response = await fetch(`${program.url}/v1/traces`, {
		method: 'POST',
		headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
		body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
	})
	if (response.status !== 200) throw new Error(`The receiver answered ${response.status}`)
	const answeredMs = performance.now()
	const isThere = () =>
		program.api('GET', `/v1/telemetry/traces/${traceId}`).then(
			() => true,
			() => false,
		)
	while (!(await isThere())) await sleep(lookEveryMs)
	return performance.now() - answeredMs
}
