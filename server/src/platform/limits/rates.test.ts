import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Rates } from './rates.ts'

const quota = { requests: 5, windowMs: 1000 }

describe('the generic cell rate algorithm', () => {
	it('lets a whole quota through at once, and then one request per interval', () => {
		const rates = new Rates()
		const waits = Array.from({ length: 6 }, () => rates.take('a', quota, 10_000))
		expect(waits).toEqual([0, 0, 0, 0, 0, 200])
		expect(rates.take('b', quota, 10_000)).toBe(0)
		expect(rates.take('a', quota, 10_199)).toBeGreaterThan(0)
		expect(rates.take('a', quota, 10_200)).toBe(0)
		expect(rates.take('a', quota, 10_200)).toBe(200)
		expect(rates.take('a', quota, 11_200)).toBe(0)
		expect(rates.remaining).toBe(4)
	})

	it('reports the remaining quota and when it is full again', () => {
		const rates = new Rates()
		for (const left of [4, 3, 2, 1, 0, 0]) {
			rates.take('a', quota, 10_000)
			expect(rates.remaining).toBe(left)
		}
		expect(rates.resetMs).toBe(1000)
	})

	it('never lets more than twice the quota through in a window, and never less than the rate', () => {
		const steps = fc.array(fc.nat(400), { minLength: 1, maxLength: 200 })
		fc.assert(
			fc.property(steps, fc.integer({ min: 1, max: 50 }), (gaps, requests) => {
				const rates = new Rates()
				const rate = { requests, windowMs: 1000 }
				const passed: number[] = []
				let nowMs = 1_000_000
				for (const gap of gaps) {
					nowMs += gap
					const waitMs = rates.take('a', rate, nowMs)
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
		const rates = new Rates()
		for (let i = 0; i < 6; i += 1) rates.take('a', quota, 10_000_000)
		expect(rates.take('a', quota, 5000)).toBe(0)
	})

	it('holds a bounded number of callers, and evicts those that have not called for long', () => {
		const rates = new Rates(100)
		for (let i = 0; i < 6; i += 1) rates.take('busy', quota, 1000)
		for (let i = 0; i < 10_000; i += 1) {
			rates.take(`caller ${i}`, quota, 1000)
			expect(rates.take('busy', quota, 1000)).toBeGreaterThan(0)
		}
		expect(rates.size).toBeLessThanOrEqual(200)
	})

	it('takes under 2 µs and no memory for a known caller', () => {
		const rates = new Rates()
		const callers = Array.from({ length: 1000 }, (_, index) => `caller ${index}`)
		const run = (rounds: number) => {
			for (let i = 0; i < rounds; i += 1) rates.take(callers[i % 1000] as string, quota, 1000 + i)
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

	it('accepts a cost above the whole quota while the quota is full, and corrects it afterwards', () => {
		const rates = new Rates()
		const perMinute = { requests: 600, windowMs: 60_000 }
		expect(rates.take('a', perMinute, 0, 1000)).toBe(0)
		expect(rates.take('a', perMinute, 0, 100)).toBe(50_000)
		rates.correct('a', perMinute, 0, -700)
		expect([rates.remaining, rates.resetMs]).toEqual([300, 30_000])
		expect(rates.take('a', perMinute, 10_000, 400)).toBe(0)
		expect(rates.take('a', perMinute, 10_000, 1)).toBeCloseTo(100)
		expect(rates.take('b', perMinute, 10_000, 1)).toBe(0)
	})
})
