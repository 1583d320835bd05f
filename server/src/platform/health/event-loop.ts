import { monitorEventLoopDelay } from 'node:perf_hooks'
import { atIntervals } from '../clock.ts'

/** How long the event loop was held up. */
export interface EventLoop {
	/** The longest stall since this was asked last, in seconds; for `/metrics` alone. */
	sinceLastReading(): number
	/** The longest of the last one to two minutes, in ms. */
	recentMs(): number
}

/**
 * The time between two checks of the event loop; what takes longer than this is a stall. Each check wakes the process, so one that
 * has nothing to do is checked less often, and knows of a stall no more than it exceeds that time.
 */
const [busyMs, idleMs] = [10, 250]
/** Share of a core above which the loop counts as busy. */
const busyShare = 0.05
const lookEveryMs = 5000
const windowMs = 60_000

export function watchEventLoop(): EventLoop {
	let delay = startDelay(busyMs)
	let used = { ...process.threadCpuUsage(), atMs: performance.now() }
	let unreadMs = 0
	let windows = { now: 0, before: 0, endsAt: performance.now() + windowMs }
	const look = () => {
		const stallMs = Math.max(0, delay.histogram.max / 1e6 - delay.resolutionMs)
		delay.histogram.reset()
		unreadMs = Math.max(unreadMs, stallMs)
		const now = Math.max(windows.now, stallMs)
		const isOver = performance.now() >= windows.endsAt
		windows = isOver ? { now: 0, before: now, endsAt: performance.now() + windowMs } : { ...windows, now }
	}
	const lookAndAdapt = () => {
		look()
		const before = used
		used = { ...process.threadCpuUsage(), atMs: performance.now() }
		const usedMs = (used.user + used.system - before.user - before.system) / 1000
		const resolutionMs = usedMs > busyShare * (used.atMs - before.atMs) ? busyMs : idleMs
		if (resolutionMs === delay.resolutionMs) return
		delay.histogram.disable()
		delay = startDelay(resolutionMs)
	}
	atIntervals(lookEveryMs, lookAndAdapt)
	return {
		sinceLastReading: () => {
			look()
			const seconds = unreadMs / 1000
			unreadMs = 0
			return seconds
		},
		recentMs: () => {
			look()
			return Math.max(windows.now, windows.before)
		},
	}
}

function startDelay(resolutionMs: number) {
	const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
	histogram.enable()
	return { histogram, resolutionMs }
}
