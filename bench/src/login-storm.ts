import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Program } from '../../server/src/program/program.testing.ts'
import { type Measured, openLoop, type Target } from './load.ts'
import { startPart } from './stage.ts'
import { longestStallMs } from './stall.ts'
import type { PeopleFigures } from './storm-people.ts'

export interface StormRound extends PeopleFigures {
	calm: Measured
	storm: Measured
	stallMs: number
}

const quick = process.argv.includes('--quick')
const rounds = quick ? 2 : 7
const roundMs = quick ? 4000 : 8000
const callsPerSecond = 200

/**
 * Tool calls at 200 per second without and with 100 people who sign in concurrently, and again as soon as they are signed in. Each
 * round has both, in alternating order.
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

/**
 * Keeps 100 logins running during a measurement. They are in a process of their own, so that their cost is not part of the measured
 * calls.
 */
async function storming(program: Program, measure: () => Promise<Measured>) {
	const children: ChildProcess[] = []
	await startPart('storm-people.ts', [program.url], 1, children)
	const people = children[0] as ChildProcess
	try {
		const measured = await measure()
		const reported = once(people, 'message')
		people.send('the storm is over')
		const [figures] = (await reported) as [PeopleFigures]
		return { measured, ...figures }
	} finally {
		people.kill()
	}
}
