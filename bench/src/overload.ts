import { toolTargets } from './calls.ts'
import { closedLoop, type Measured, type Target, warmUp } from './load.ts'
import type { Stage } from './stage.ts'

export interface OverloadFigures {
	/** Completed calls per second at the number of callers with the highest rate. */
	best: Measured
	bestCallers: number
	/** The same with far more callers than there is capacity for, which retry at once when they are refused. */
	flooded: Measured
	floodCallers: number
}

const defaultCallers = [16, 32, 64]
const floodCallers = 400
const quick = process.argv.includes('--quick')
const rounds = quick ? 1 : 3
const roundMs = quick ? 4000 : 8000

/** Goodput of `tools/call` at its best and under a flood, in turns on one program. The stage must have load shedding enabled. */
export async function measureOverload(
	stage: Stage,
	slug: string,
	agentKey: string,
): Promise<OverloadFigures> {
	const target = toolTargets(stage, slug, agentKey)[2]
	await warmUp(target, 32, quick)
	const flooded: Measured[] = []
	const byCallers = new Map<number, Measured[]>(defaultCallers.map((callers) => [callers, []]))
	for (let round = 0; round < rounds; round += 1) {
		for (const [callers, measured] of byCallers) measured.push(await closedLoop(target, callers, roundMs))
		flooded.push(await flood(target))
	}
	const [bestCallers, best] = [...byCallers]
		.map(([callers, measured]) => [callers, median(measured)] as const)
		.reduce((a, b) => (b[1].perSecond > a[1].perSecond ? b : a))
	return { best, bestCallers, flooded: median(flooded), floodCallers }
}

/** Refusals in the previous round must not be counted in the next. */
async function flood(target: Target): Promise<Measured> {
	const measured = await closedLoop(target, floodCallers, roundMs)
	await new Promise((resolve) => setTimeout(resolve, 4000))
	return measured
}

function median(measured: Measured[]): Measured {
	return measured.toSorted((a, b) => a.perSecond - b.perSecond)[measured.length >> 1] as Measured
}

export function showOverload({ best, bestCallers, flooded, floodCallers }: OverloadFigures): void {
	const show = (label: string, { perSecond, p50Ms, p99Ms, errors }: Measured) =>
		`  ${label.padEnd(19)} ${perSecond.toFixed(0)} calls/s carried out, p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms, ${errors} refused`
	console.log('\ntools/call under a flood of callers who come again at once')
	console.log(show(`${bestCallers} callers (best)`, best))
	console.log(show(`${floodCallers} callers`, flooded))
	console.log(
		`  goodput kept        ${((100 * flooded.perSecond) / best.perSecond).toFixed(0)} % (goal ≥ 80)`,
	)
}
