import { describe, expect, it } from 'vitest'
import { after, type RunState, transitions } from './run-recorded.ts'

const states = Object.keys(transitions) as RunState[]
const steps = ['announce', 'run', 'answer', 'fail', 'record', 'lose', 'end'] as const

/** Every path from the plan to the end. */
function ways(state: RunState, taken: readonly string[] = []): string[][] {
	const next = Object.keys(transitions[state]) as (typeof steps)[number][]
	if (next.length === 0) return [[...taken]]
	return next.flatMap((step) => ways(after(state, step), [...taken, step]))
}

describe('the states of an operation', () => {
	it('lead from the plan to the end only with one announcement, one outcome and one record', () => {
		const all = ways('planned')
		expect(all.length).toBe(6)
		for (const way of all) {
			expect(way[0]).toBe('announce')
			expect(way.filter((step) => step === 'answer' || step === 'fail')).toHaveLength(1)
			expect(way.filter((step) => step === 'record' || step === 'lose')).toHaveLength(1)
			expect(way.at(-1)).toBe('end')
		}
	})

	it('allow no other step', () => {
		for (const state of states)
			for (const step of steps)
				if (transitions[state][step] === undefined)
					expect(() => after(state, step)).toThrow(`An operation that is ${state} cannot ${step}.`)
	})
})
