import { Pool } from 'undici'
import { type Measured, paced, send, summarise } from '../load.ts'
import { longestStallMs } from '../stall.ts'
import { mixedBodies } from './bodies.ts'
import { openStreams } from './open-streams.ts'
import type { Subject } from './subjects.ts'

export interface MixFigures {
	ratePerSecond: number
	streams: number
	/** Of small calls only. */
	direct: Measured
	bare: Measured
	ours: Measured
	/** Longest stall of our event loop in each round. */
	stallsMs: number[]
}

const quick = process.argv.includes('--quick')
const ratePerSecond = 40
const streams = 200
const rounds = quick ? 1 : 2
const roundMs = quick ? 3000 : 6000

/** Bodies of all sizes while streams are open; direct, bare and ours in turns. */
export async function measureMix(direct: Subject, bare: Subject, ours: Subject): Promise<MixFigures> {
	const subjects = [direct, bare, ours]
	const latencies = subjects.map((): number[] => [])
	const stallsMs: number[] = []
	let errors = 0
	await runMix(ours, 2000)
	for (let round = 0; round < rounds; round += 1)
		for (const [index, subject] of subjects.entries()) {
			const isOurs = subject === ours
			if (isOurs) await longestStallMs(new URL(ours.to('').origin).origin)
			const measured = await runMix(subject, roundMs)
			errors += measured.errors
			latencies[index]?.push(...measured.latencies)
			if (isOurs) stallsMs.push(await longestStallMs(ours.to('').origin))
		}
	const [ofDirect, ofBare, ofOurs] = latencies.map((all) => summarise(all, errors, rounds * roundMs)) as [
		Measured,
		Measured,
		Measured,
	]
	return { ratePerSecond, streams, direct: ofDirect, bare: ofBare, ours: ofOurs, stallsMs }
}

async function runMix(
	subject: Subject,
	durationMs: number,
): Promise<{ latencies: number[]; errors: number }> {
	const close = await openStreams(subject, streams)
	const pool = new Pool(subject.to('').origin, { connections: 64 })
	const bodyOf = mixedBodies()
	const latencies: number[] = []
	let errors = 0
	await paced(ratePerSecond, durationMs, async (dueMs, index) => {
		const { body, isSmall } = bodyOf(index)
		if (!(await send(pool, subject.to(body)))) errors += 1
		if (isSmall) latencies.push(performance.now() - dueMs)
	})
	await pool.close()
	close()
	return { latencies, errors }
}
