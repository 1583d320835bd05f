import type { Program } from '../../server/src/program.testing.ts'
import { owner } from '../../server/src/program.testing.ts'
import { type Measured, openLoop, quantile, type Target } from './load.ts'
import { longestStallMs } from './stall.ts'

export interface StormRound {
	calm: Measured
	storm: Measured
	/** Signed in during the storm, and refused with 429 or 503. */
	signedIn: number
	refused: number
	loginP50Ms: number
	loginP99Ms: number
	stallMs: number
}

const quick = process.argv.includes('--quick')
const rounds = quick ? 2 : 7
const roundMs = quick ? 4000 : 8000
const callsPerSecond = 200
const parallelLogins = 100

/**
 * Tool calls at 200 a second without and with 100 people who sign in at the same time and again as soon as they are in: each
 * round has both, in an order that changes.
 */
export async function measureLoginStorm(program: Program, call: Target): Promise<StormRound[]> {
	await openLoop(call, callsPerSecond, quick ? 3000 : 10_000)
	await storming(program, () => openLoop(call, callsPerSecond, 2000))
	const figures: StormRound[] = []
	for (let round = 0; round < rounds; round += 1) {
		const stormFirst = round % 2 === 1
		const calmBefore = stormFirst ? null : await openLoop(call, callsPerSecond, roundMs)
		await longestStallMs(program.url)
		const { measured: storm, ...logins } = await storming(program, () =>
			openLoop(call, callsPerSecond, roundMs),
		)
		const stallMs = await longestStallMs(program.url)
		const calm = calmBefore ?? (await openLoop(call, callsPerSecond, roundMs))
		figures.push({ calm, storm, ...logins, stallMs })
	}
	return figures
}

/** Keeps 100 logins under way while something is measured. */
async function storming(program: Program, measure: () => Promise<Measured>) {
	let isOver = false
	const latencies: number[] = []
	let refused = 0
	const person = async () => {
		while (!isOver) {
			const begunMs = performance.now()
			const status = await signIn(program.url)
			if (status === 200) latencies.push(performance.now() - begunMs)
			else if (status === 429 || status === 503) refused += 1
			else throw new Error(`A login of the storm answered ${status}.`)
			// Who is refused comes back after a moment, as people do.
			if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 250))
		}
	}
	const people = Promise.all(Array.from({ length: parallelLogins }, person))
	const measured = await measure().finally(() => {
		isOver = true
	})
	await people
	latencies.sort((a, b) => a - b)
	const [loginP50Ms, loginP99Ms] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
	return { measured, signedIn: latencies.length, refused, loginP50Ms, loginP99Ms }
}

async function signIn(url: string): Promise<number> {
	const response = await fetch(`${url}/auth/login`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(owner),
	})
	await response.arrayBuffer()
	return response.status
}
