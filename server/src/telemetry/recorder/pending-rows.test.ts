import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { BatchPace } from './pending-rows.ts'

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
	vi.useRealTimers()
})

it('lets a few batches begin at once and then one after the other', () => {
	const pace = new BatchPace(1000)
	expect(begunWithin(pace, 0)).toBe(8)
	expect(pace.waitMs()).toBe(1000)
	expect(begunWithin(pace, 60_000)).toBe(60)
})

it('has a few in hand again after a pause, and never more', () => {
	const pace = new BatchPace(1000)
	begunWithin(pace, 0)
	vi.advanceTimersByTime(3000)
	expect(begunWithin(pace, 0)).toBe(3)
	vi.advanceTimersByTime(3_600_000)
	expect(begunWithin(pace, 0)).toBe(8)
})

it('counts batches that begin because they are full', () => {
	const pace = new BatchPace(1000)
	for (let full = 0; full < 100; full += 1) pace.begin()
	expect(pace.waitMs()).toBe(1000)
})

/** How many begin, each as soon as it may, until so much time is over. */
function begunWithin(pace: BatchPace, ms: number): number {
	const endMs = performance.now() + ms
	for (let begun = 0; ; begun += 1) {
		const waitMs = Math.max(0, pace.waitMs())
		if (performance.now() + waitMs > endMs) return begun
		vi.advanceTimersByTime(waitMs)
		pace.begin()
	}
}
