import type { RouteStrategy } from '@signalbox/contract'
import type { Step } from '../reliability/call-plan.ts'

/** A step with its share. */
export interface Candidate {
	step: Step
	weight: number
}

/** The order in which targets are asked. Those whose circuit is open come last: better than no answer at all. */
export function orderTargets(
	candidates: readonly Candidate[],
	strategy: RouteStrategy,
	nowMs: number,
	random: () => number = Math.random,
): Step[] {
	const ordered = orders[strategy](candidates, nowMs, random)
	const open = ordered.filter(({ health }) => health?.isOpen(nowMs))
	return [...ordered.filter((step) => !open.includes(step)), ...open]
}

type Order = (candidates: readonly Candidate[], nowMs: number, random: () => number) => Step[]

const orders: Record<RouteStrategy, Order> = {
	ordered: (candidates) => candidates.map(({ step }) => step),
	weighted: (candidates, _nowMs, random) => draw(candidates, random),
	least_latency: (candidates, nowMs) =>
		candidates
			.map(({ step }) => ({ step, load: step.health?.loadAt(nowMs) ?? 0 }))
			.sort((a, b) => a.load - b.load)
			.map(({ step }) => step),
}

/** Draws one after the other by weight: the exponential variates of Efraimidis and Spirakis. */
function draw(candidates: readonly Candidate[], random: () => number): Step[] {
	return candidates
		.map(({ step, weight }) => ({ step, at: -Math.log(1 - random()) / weight }))
		.sort((a, b) => a.at - b.at)
		.map(({ step }) => step)
}
