import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Gcra } from './gcra.ts'

const quota = { requests: 5, windowMs: 1000 }

describe('the generic cell rate algorithm', () => {
	it('lets a whole quota through at once and then one each part of the window', () => {
		const gcra = new Gcra()
		const waits = Array.from({ length: 6 }, () => gcra.take('a', quota, 10_000))
		expect(waits).toEqual([0, 0, 0, 0, 0, 200])
		expect(gcra.take('b', quota, 10_000)).toBe(0)
		expect(gcra.take('a', quota, 10_199)).toBeGreaterThan(0)
		expect(gcra.take('a', quota, 10_200)).toBe(0)
		expect(gcra.take('a', quota, 10_200)).toBe(200)
		expect(gcra.take('a', quota, 11_200)).toBe(0)
		expect(gcra.remaining).toBe(4)
	})

	it('tells what is left and when it is whole again', () => {
		const gcra = new Gcra()
		for (const left of [4, 3, 2, 1, 0, 0]) {
			gcra.take('a', quota, 10_000)
			expect(gcra.remaining).toBe(left)
		}
		expect(gcra.resetMs).toBe(1000)
	})

	it('never lets more through in a window than twice the quota, and never less than the rate', () => {
		const steps = fc.array(fc.nat(400), { minLength: 1, maxLength: 200 })
		fc.assert(
			fc.property(steps, fc.integer({ min: 1, max: 50 }), (gaps, requests) => {
				const gcra = new Gcra()
				const rate = { requests, windowMs: 1000 }
				const passed: number[] = []
				let nowMs = 1_000_000
				for (const gap of gaps) {
					nowMs += gap
					const waitMs = gcra.take('a', rate, nowMs)
					if (waitMs === 0) passed.push(nowMs)
					else expect(waitMs).toBeLessThanOrEqual(1000 / requests + 1e-3)
				}
				for (const start of passed) {
					const inWindow = passed.filter((at) => at >= start && at <= start + 1000).length
					expect(inWindow).toBeLessThanOrEqual(2 * requests)
				}
			}),
		)
	})

	it('survives a clock that is set back', () => {
		const gcra = new Gcra()
		for (let i = 0; i < 6; i += 1) gcra.take('a', quota, 10_000_000)
		expect(gcra.take('a', quota, 5000)).toBe(0)
	})

	it('holds a bounded number of callers, and forgets those that have not called for long', () => {
		const gcra = new Gcra(100)
		for (let i = 0; i < 6; i += 1) gcra.take('busy', quota, 1000)
		for (let i = 0; i < 10_000; i += 1) {
			gcra.take(`caller ${i}`, quota, 1000)
			expect(gcra.take('busy', quota, 1000)).toBeGreaterThan(0)
		}
		expect(gcra.size).toBeLessThanOrEqual(200)
	})

	it('takes under 2 µs and no memory for a known caller', () => {
		const gcra = new Gcra()
		const callers = Array.from({ length: 1000 }, (_, index) => `caller ${index}`)
		const run = (rounds: number) => {
			for (let i = 0; i < rounds; i += 1) gcra.take(callers[i % 1000] as string, quota, 1000 + i)
		}
		run(200_000)
		const heapBefore = process.memoryUsage().heapUsed
		const startedMs = performance.now()
		run(500_000)
		const perCallUs = ((performance.now() - startedMs) * 1000) / 500_000
		const grownBytes = process.memoryUsage().heapUsed - heapBefore
		expect(perCallUs).toBeLessThan(2)
		expect(grownBytes / 500_000).toBeLessThan(16)
	})
})
