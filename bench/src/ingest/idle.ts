import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../../../server/src/program/program.testing.ts'
import { familyOf } from '../cpu.ts'
import { type Costs, watchCosts } from './costs.ts'

/** Some 8 s after the start, V8 collects its garbage once more, for 0.1 s. */
const settleMs = 15_000

export interface IdleFigures {
	/** Percentage of a core that an instance without traffic uses, by thread. */
	program: Costs
	engine: Costs
}

/** The cost of an idle program. */
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
