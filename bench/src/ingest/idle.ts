import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../../../server/src/program/program.testing.ts'
import { familyOf } from '../cpu.ts'
import { type Costs, watchCosts } from './costs.ts'

/** V8 collects what the start left once more some 8 s after it, for 0.1 s. */
const settleMs = 15_000

export interface IdleFigures {
	/** Percent of a core that an instance uses to which nothing comes, by thread. */
	program: Costs
	engine: Costs
}

/** What a program costs that has nothing to do. */
export async function measureIdle(program: Program, forMs: number): Promise<IdleFigures> {
	await sleep(settleMs)
	const watches = [watchCosts([program.pid]), watchCosts(program.children().flatMap(familyOf))]
	await sleep(forMs)
	const [own, engine] = watches.map((watch) => {
		const costs = [...watch.stop()]
		return new Map(costs.map(([name, us]) => [name, us / forMs / 10]))
	})
	return { program: own ?? new Map(), engine: engine ?? new Map() }
}
