import { owner } from '../../server/src/program/program.testing.ts'
import { quantile } from './load.ts'

/** The results of 100 people who signed in concurrently, and again as soon as they were signed in. */
export interface PeopleFigures {
	/** Signed in during the storm, and refused with 429 or 503. */
	signedIn: number
	refused: number
	loginP50Ms: number
	loginP99Ms: number
}

const parallelLogins = 100
const [url = ''] = process.argv.slice(2)
const latencies: number[] = []
let refused = 0
let isOver = false

async function signInAgainAndAgain(): Promise<void> {
	while (!isOver) {
		const begunMs = performance.now()
		const status = await signIn()
		if (status === 200) latencies.push(performance.now() - begunMs)
		else if (status === 429 || status === 503) refused += 1
		else throw new Error(`A login of the storm answered ${status}.`)
		// People who are refused retry after a random delay, not all at once.
		if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 500 * Math.random()))
	}
}

async function signIn(): Promise<number> {
	const response = await fetch(`${url}/auth/login`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(owner),
	})
	await response.arrayBuffer()
	return response.status
}

function figures(): PeopleFigures {
	latencies.sort((a, b) => a - b)
	const [loginP50Ms, loginP99Ms] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
	return { signedIn: latencies.length, refused, loginP50Ms, loginP99Ms }
}

process.once('message', () => {
	isOver = true
})
process.send?.(0)
await Promise.all(Array.from({ length: parallelLogins }, signInAgainAndAgain))
process.send?.(figures())
process.disconnect()
