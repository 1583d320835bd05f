/** The only source of time, so that tests can move it. All times in the control store are integer milliseconds (UTC). */
export interface Clock {
	nowMs(): number
	/**
	 * The time for deciding what is old enough to be deleted or ended for good. Normally `nowMs`, but it lags behind while the
	 * machine's clock is doubted (`clock-watch.ts`): data deleted by a wrong clock cannot be restored.
	 */
	deletionMs(): number
}

/** For startup and for commands; the running program deletes only by a `ClockWatch`. */
export const systemClock: Clock = { nowMs: () => Date.now(), deletionMs: () => Date.now() }

/** By how much the wall clock is ahead of the monotonic clock, which stands still while a machine is suspended. */
let wallOffsetNs = 0n
let comparedNs = 0n
const compareEveryNs = 100_000_000n
/** The wall clock was set back if it is this much behind. A process that is interrupted between two readings sees less. */
const setBackNs = 10_000_000n
compareClocks(process.hrtime.bigint())

/**
 * Nanoseconds since 1970, for start times and durations of calls. Monotonic, unless the wall clock is set back: then it follows within
 * 0.1 s of the next use.
 */
export function nowNs(): bigint {
	const steadyNs = process.hrtime.bigint()
	if (steadyNs - comparedNs > compareEveryNs) compareClocks(steadyNs)
	return wallOffsetNs + steadyNs
}

function compareClocks(steadyNs: bigint): void {
	const wallNs = BigInt(Date.now()) * 1_000_000n
	const afterNs = process.hrtime.bigint()
	comparedNs = steadyNs
	// `Date.now` cuts off the fraction of a millisecond, so the greatest difference that was seen is the closest.
	const leastNs = wallNs - afterNs
	const isSetBack = leastNs < wallOffsetNs - setBackNs && afterNs - steadyNs < setBackNs / 2n
	if (leastNs > wallOffsetNs || isSetBack) wallOffsetNs = leastNs
}

/** Nanoseconds between two results of `nowNs`; 0 if the clock was set back meanwhile. */
export function betweenNs(fromNs: bigint, toNs = nowNs()): bigint {
	return toNs > fromNs ? toNs - fromNs : 0n
}

/** Starts a stopwatch. The returned function gives the elapsed milliseconds. */
export function startTimer(): () => number {
	const startedMs = performance.now()
	return () => Math.round((performance.now() - startedMs) * 1000) / 1000
}

/** RFC 3339 text in UTC with milliseconds. */
export function toIso(ms: number): string {
	return new Date(ms).toISOString()
}

/** A clock for tests that advances only when told to. */
export function manualClock(startMs = 1_780_000_000_000): Clock & { advance(ms: number): void } {
	let nowMs = startMs
	return {
		nowMs: () => nowMs,
		deletionMs: () => nowMs,
		advance: (ms) => {
			nowMs += ms
		},
	}
}

interface Shared {
	timer: NodeJS.Timeout
	calls: Set<() => void>
}

const intervals = new Map<number, Shared>()

/**
 * Calls a function at an interval; returns a function that stops it. All calls with the same interval share one timer, so that an
 * idle program wakes up once for all of them. The timer does not keep the process alive.
 */
export function atIntervals(everyMs: number, call: () => void): () => void {
	const shared = intervals.get(everyMs) ?? start(everyMs)
	// The same function may be passed twice.
	const own = () => call()
	shared.calls.add(own)
	return () => {
		if (!shared.calls.delete(own) || shared.calls.size > 0) return
		clearInterval(shared.timer)
		intervals.delete(everyMs)
	}
}

function start(everyMs: number): Shared {
	const calls = new Set<() => void>()
	const timer = setInterval(() => {
		for (const call of [...calls]) if (calls.has(call)) call()
	}, everyMs).unref()
	const shared = { timer, calls }
	intervals.set(everyMs, shared)
	return shared
}

const pauseMs = 0.05
const neverNotified = new Int32Array(new SharedArrayBuffer(4))

/**
 * For a background thread. The kernel's time slices are several milliseconds, so long work here could delay a call that arrives
 * meanwhile by as much. A thread that sleeps briefly after each slice of work yields the core sooner.
 */
export class WorkSlices {
	readonly #sliceMs: number
	#endsMs: number

	constructor(sliceMs: number) {
		this.#sliceMs = sliceMs
		this.#endsMs = performance.now() + sliceMs
	}

	/** Call between two pieces of work: blocks the thread for a moment if its slice is over. */
	pause(): void {
		if (performance.now() < this.#endsMs) return
		Atomics.wait(neverNotified, 0, 0, pauseMs)
		this.#endsMs = performance.now() + this.#sliceMs
	}
}
