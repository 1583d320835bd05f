import { expect, it } from 'vitest'
import { backOffMs, doubledMs, withJitter } from './retry.ts'

const backOff = { firstMs: 100, maxMs: 3000 }

it('doubles from the first delay to the longest, however many failures there were', () => {
	const waits = [0, 1, 4, 5, 2000].map((failures) => doubledMs(backOff, failures))
	expect(waits).toEqual([100, 200, 1600, 3000, 3000])
})

it('randomises half of a delay', () => {
	expect([0, 0.5, 1].map((random) => backOffMs(backOff, 1, () => random))).toEqual([100, 150, 200])
})

it('never makes a delay shorter by its jitter', () => {
	const waits = Array.from({ length: 1000 }, () => withJitter(1000, 0.5))
	expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000)
	expect(Math.max(...waits)).toBeLessThanOrEqual(1500)
})
