import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { atIntervals, betweenNs, nowNs, WorkSlices } from './clock.ts'

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

it('start times follow the wall clock after a machine was suspended and when it is set, and no duration is negative', async () => {
	const real = Date.now
	let aheadMs = 0
	const spy = vi.spyOn(Date, 'now').mockImplementation(() => real() + aheadMs)
	/** The next use of the clock, more than 0.1 s after the last. */
	const differenceMs = async () => {
		await sleep(150)
		return Number(nowNs() / 1000n) / 1000 - Date.now()
	}
	try {
		// Suspended for eight hours, then set back, then corrected by half a second.
		for (const step of [0, 8 * 3_600_000, -3_600_000, 500]) {
			aheadMs = step
			const [before, difference] = [nowNs(), await differenceMs()]
			expect(Math.abs(difference), `${step} ms`).toBeLessThan(20)
			expect(betweenNs(before)).toBeGreaterThanOrEqual(0n)
		}
		const from = nowNs()
		expect(betweenNs(from, from - 1n)).toBe(0n)
	} finally {
		spy.mockRestore()
		await differenceMs()
	}
})
