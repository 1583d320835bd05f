import { expect, it, vi } from 'vitest'
import { atIntervals } from './clock.ts'

it('all calls of one interval share a timer, each until it ends', () => {
	vi.useFakeTimers()
	try {
		const called: string[] = []
		const endFirst = atIntervals(1000, () => called.push('first'))
		vi.advanceTimersByTime(400)
		const endSecond = atIntervals(1000, () => {
			called.push('second')
			endFirst()
		})
		const endThird = atIntervals(5000, () => called.push('third'))
		expect(vi.getTimerCount()).toBe(2)
		vi.advanceTimersByTime(600)
		expect(called).toEqual(['first', 'second'])
		vi.advanceTimersByTime(1000)
		expect(called).toEqual(['first', 'second', 'second'])
		endSecond()
		endSecond()
		expect(vi.getTimerCount()).toBe(1)
		vi.advanceTimersByTime(5000)
		expect(called.at(-1)).toBe('third')
		endThird()
		expect(vi.getTimerCount()).toBe(0)
	} finally {
		vi.useRealTimers()
	}
})
