import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateLoad, type Load, LogDrain, noOverload, type OverloadState } from './overload.ts'

const idle: Load = { lagMs: 0, logFill: 0, memoryFill: 0.2 }
const lagMs = 100
const stateAfter = (state: OverloadState, loads: readonly Load[]) =>
	loads.reduce((before, load) => evaluateLoad(before, load, lagMs), state)
const levelAfter = (...loads: Load[]) => stateAfter(noOverload, loads).level
const times = (count: number, load: Load) => Array.from({ length: count }, () => load)

describe('overload', () => {
	it('refuses ingestion first, then the API, calls last', () => {
		expect(levelAfter({ ...idle, lagMs: 99 })).toBe(0)
		expect(levelAfter({ ...idle, lagMs: 100 })).toBe(1)
		expect(levelAfter({ ...idle, lagMs: 400 })).toBe(2)
		expect(levelAfter({ ...idle, lagMs: 1e6 })).toBe(2)
		expect(levelAfter({ ...idle, memoryFill: 0.86 })).toBe(1)
		expect(levelAfter({ ...idle, memoryFill: 0.93 })).toBe(2)
		expect(levelAfter({ ...idle, memoryFill: 0.98 })).toBe(3)
	})

	it('refuses only ingestion when the log is full', () => {
		expect(levelAfter({ ...idle, logFill: 1 })).toBe(1)
	})

	it('ignores lag when that is disabled', () => {
		expect(evaluateLoad(noOverload, { ...idle, lagMs: 1e6 }, 0).level).toBe(0)
	})

	it('ends step by step, after consecutive calm readings', () => {
		const loaded = stateAfter(noOverload, [{ ...idle, lagMs: 500 }])
		expect(stateAfter(loaded, times(7, idle)).level).toBe(2)
		expect(stateAfter(loaded, times(8, idle)).level).toBe(1)
		expect(stateAfter(loaded, times(16, idle)).level).toBe(0)
	})

	it('stays while the load is just under the limit', () => {
		const loaded = stateAfter(noOverload, [{ ...idle, lagMs: 100 }])
		expect(stateAfter(loaded, times(100, { ...idle, lagMs: 85 })).level).toBe(1)
		expect(stateAfter(loaded, [...times(7, idle), { ...idle, lagMs: 85 }, ...times(7, idle)]).level).toBe(1)
	})

	it('never jumps down, and always ends when the load does', () => {
		const load = fc.record({
			lagMs: fc.nat(5000),
			logFill: fc.double({ min: 0, max: 1, noNaN: true }),
			memoryFill: fc.double({ min: 0, max: 1, noNaN: true }),
		})
		fc.assert(
			fc.property(fc.array(load, { maxLength: 100 }), (loads) => {
				let state = noOverload
				for (const one of loads) {
					const next = evaluateLoad(state, one, lagMs)
					expect(next.level).toBeGreaterThanOrEqual(state.level - 1)
					state = next
				}
				expect(stateAfter(state, times(24, idle)).level).toBe(0)
			}),
		)
	})
})

describe('the retry delay of a full log', () => {
	/** Fill levels of the log at each second, starting when ingestion is refused. */
	const secondsAfter = (...fills: number[]) => {
		const drain = new LogDrain()
		for (const [second, fill] of fills.entries()) drain.note(second * 1000, fill, 1)
		return drain.seconds()
	}

	it('is extrapolated from how fast the log has drained', () => {
		expect(secondsAfter(0.84, 0.83, 0.82)).toBe(18)
		expect(secondsAfter(0.84, 0.74)).toBe(1)
		expect(secondsAfter(0.84, 0.839)).toBe(30)
	})

	it('is computed from the highest fill level', () => {
		expect(secondsAfter(0.81, 0.82, 0.84, 0.82)).toBe(9)
	})

	it('grows while the log does not drain', () => {
		expect(secondsAfter(0.8)).toBe(2)
		expect(secondsAfter(0.8, 0.8, 0.8, 0.8, 0.8, 0.8)).toBe(5)
		expect(secondsAfter(...Array.from({ length: 100 }, () => 0.8))).toBe(30)
	})

	it('is short if the log is not the cause', () => {
		expect(secondsAfter(0.5, 0.5)).toBe(2)
	})
})
