import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How long the event loop was held up. */
export interface EventLoop {
	/** The longest stall since this was asked last, in seconds; for `/metrics` alone. */
	sinceLastReading(): number
	/** The longest of the last one to two minutes, in ms. */
	recentMs(): number
}

/** The time between two checks of the event loop; what takes longer than this is a stall. */
const resolutionMs = 10
const lookEveryMs = 5000
const windowMs = 60_000

export function watchEventLoop(): EventLoop {
	const delay = monitorEventLoopDelay({ resolution: resolutionMs })
	delay.enable()
	let unreadMs = 0
	let windows = { now: 0, before: 0, endsAt: performance.now() + windowMs }
	const look = () => {
		const stallMs = Math.max(0, delay.max / 1e6 - resolutionMs)
		delay.reset()
		unreadMs = Math.max(unreadMs, stallMs)
		const now = Math.max(windows.now, stallMs)
		const isOver = performance.now() >= windows.endsAt
		windows = isOver ? { now: 0, before: now, endsAt: performance.now() + windowMs } : { ...windows, now }
	}
	setInterval(look, lookEveryMs).unref()
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
