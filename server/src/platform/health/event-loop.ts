import { monitorEventLoopDelay } from 'node:perf_hooks'
import { atIntervals } from '../clock.ts'

/** How long the event loop was blocked. */
export interface EventLoop {
	/** The longest stall since the previous call, in seconds; only for `/metrics`. */
	sinceLastReading(): number
	/** The longest stall of the last one to two minutes, in ms. */
	recentMs(): number
}

/**
 * Intervals between checks of the event loop; a stall is what exceeds the interval. Each check wakes the process, so an idle
 * process is checked less often and reports only the part of a stall beyond the longer interval.
 */
const [busyMs, idleMs] = [10, 250]
/** Share of a core above which the loop counts as busy. */
const busyShare = 0.05
const checkEveryMs = 5000
const windowMs = 60_000

export function watchEventLoop(): EventLoop {
	let delay = startDelay(busyMs)
	let used = { ...process.threadCpuUsage(), atMs: performance.now() }
	let unreadMs = 0
	let windows = { now: 0, before: 0, endsAt: performance.now() + windowMs }
	const check = () => {
		const stallMs = Math.max(0, delay.histogram.max / 1e6 - delay.resolutionMs)
		delay.histogram.reset()
		unreadMs = Math.max(unreadMs, stallMs)
		const now = Math.max(windows.now, stallMs)
		const isOver = performance.now() >= windows.endsAt
		windows = isOver ? { now: 0, before: now, endsAt: performance.now() + windowMs } : { ...windows, now }
	}
	const checkAndAdapt = () => {
		check()
		const before = used
		used = { ...process.threadCpuUsage(), atMs: performance.now() }
		const usedMs = (used.user + used.system - before.user - before.system) / 1000
		const resolutionMs = usedMs > busyShare * (used.atMs - before.atMs) ? busyMs : idleMs
		if (resolutionMs === delay.resolutionMs) return
		delay.histogram.disable()
		delay = startDelay(resolutionMs)
	}
	atIntervals(checkEveryMs, checkAndAdapt)
	return {
		sinceLastReading: () => {
			check()
			const seconds = unreadMs / 1000
			unreadMs = 0
			return seconds
		},
		recentMs: () => {
			check()
			return Math.max(windows.now, windows.before)
		},
	}
}

function startDelay(resolutionMs: number) {
	const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
	histogram.enable()
	return { histogram, resolutionMs }
}
