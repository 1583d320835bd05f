import { expect, it } from 'vitest'
import { backOffMs, doubledMs, withJitter } from './retry.ts'

const backOff = { firstMs: 100, longestMs: 3000 }

it('doubles from the first wait to the longest, however often something failed', () => {
	const waits = [0, 1, 4, 5, 2000].map((failures) => doubledMs(backOff, failures))
	expect(waits).toEqual([100, 200, 1600, 3000, 3000])
})

it('leaves half of a wait to chance', () => {
	expect([0, 0.5, 1].map((random) => backOffMs(backOff, 1, () => random))).toEqual([100, 150, 200])
})

it('never makes a wait shorter by its jitter', () => {
	const waits = Array.from({ length: 1000 }, () => withJitter(1000, 0.5))
	expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000)
	expect(Math.max(...waits)).toBeLessThanOrEqual(1500)
})
