import { expect, it, vi } from 'vitest'
import { atIntervals, WorkSlices } from './clock.ts'

// No other code in this process uses these intervals.
const [shortMs, longMs] = [1009, 5003]

it('all calls of one interval share a timer, each until it ends', () => {
	vi.useFakeTimers()
	try {
		const called: string[] = []
		const endFirst = atIntervals(shortMs, () => called.push('first'))
		vi.advanceTimersByTime(400)
		const endSecond = atIntervals(shortMs, () => {
			called.push('second')
			endFirst()
		})
		const endThird = atIntervals(longMs, () => called.push('third'))
		expect(vi.getTimerCount()).toBe(2)
		vi.advanceTimersByTime(shortMs - 400)
		expect(called).toEqual(['first', 'second'])
		vi.advanceTimersByTime(shortMs)
		expect(called).toEqual(['first', 'second', 'second'])
		endSecond()
		endSecond()
		expect(vi.getTimerCount()).toBe(1)
		vi.advanceTimersByTime(longMs)
		expect(called.at(-1)).toBe('third')
		endThird()
		expect(vi.getTimerCount()).toBe(0)
	} finally {
		vi.useRealTimers()
	}
})

it('a thread that works in slices sleeps between them, and only then', () => {
	const restMsOf = (slices: WorkSlices, pauses: number) => {
		const [startedMs, used] = [performance.now(), process.threadCpuUsage()]
		for (let pause = 0; pause < pauses; pause += 1) slices.pause()
		const { user, system } = process.threadCpuUsage(used)
		return performance.now() - startedMs - (user + system) / 1000
	}
	expect(restMsOf(new WorkSlices(0), 400)).toBeGreaterThan(10)
	const startedMs = performance.now()
	restMsOf(new WorkSlices(Number.POSITIVE_INFINITY), 400_000)
	// Each pause lasts 0.05 ms.
	expect(performance.now() - startedMs).toBeLessThan(10_000)
})
