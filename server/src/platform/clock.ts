/** The only source of time, so that tests can move it. All times in the control store are integer milliseconds (UTC). */
export interface Clock {
	nowMs(): number
	/**
	 * The time by which things are old enough to be deleted, or ended for good. It is `nowMs`, but stands behind while the clock of
	 * the machine is doubted (`clock-watch.ts`): what is deleted by a wrong clock does not come back with the right one.
	 */
	deletionMs(): number
}

/** For what starts, and for commands; the running program deletes by a `ClockWatch` only. */
export const systemClock: Clock = { nowMs: () => Date.now(), deletionMs: () => Date.now() }

const wallOffsetNs = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint()

/** Nanoseconds since 1970, growing steadily while the process lives: for the start times and durations of calls. */
export function nowNs(): bigint {
	return wallOffsetNs + process.hrtime.bigint()
}

/** Starts a stopwatch: each call of what it returns gives the milliseconds since then. */
export function startTimer(): () => number {
	const startedNs = nowNs()
	return () => Number((nowNs() - startedNs) / 1000n) / 1000
}

/** RFC 3339 text in UTC with milliseconds. */
export function toIso(ms: number): string {
	return new Date(ms).toISOString()
}

/** A clock that stands still until moved, for tests. */
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
 * Calls at an interval until the result is called. All calls of one interval share a timer, which keeps no process alive: a program
 * with nothing to do is woken once for all of them.
 */
export function atIntervals(everyMs: number, call: () => void): () => void {
	const shared = intervals.get(everyMs) ?? start(everyMs)
	// The same function may be given twice.
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
const wokenByNobody = new Int32Array(new SharedArrayBuffer(4))

/**
 * For a thread whose results nobody waits for. The kernel takes turns of several milliseconds on a core, so long work here would hold up a
 * call that arrives meanwhile by as much. A thread that sleeps for a moment after each slice of its work gives the core away sooner.
 */
export class Slices {
	readonly #sliceMs: number
	#endsMs: number

	constructor(sliceMs: number) {
		this.#sliceMs = sliceMs
		this.#endsMs = performance.now() + sliceMs
	}

	/** Between two pieces of work: blocks the thread for a moment where a slice is over. */
	pause(): void {
		if (performance.now() < this.#endsMs) return
		Atomics.wait(wokenByNobody, 0, 0, pauseMs)
		this.#endsMs = performance.now() + this.#sliceMs
	}
}
