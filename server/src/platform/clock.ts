/** The only source of time, so that tests can move it. All times in the control store are integer milliseconds (UTC). */
export interface Clock {
	nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }

const wallOffsetNs = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint()

/** Nanoseconds since 1970, growing steadily while the process lives: for the start times and durations of calls. */
export function nowNs(): bigint {
	return wallOffsetNs + process.hrtime.bigint()
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
		advance: (ms) => {
			nowMs += ms
		},
	}
}
