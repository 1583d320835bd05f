const firstMs = 1000
const longestMs = 60 * 60 * 1000

/** 1 s, doubled with every attempt up to an hour, each time up to half as long again. */
export function backOff(attempt: number): number {
	return withJitter(Math.min(longestMs, firstMs * 2 ** (attempt - 1)), 0.5)
}

/** A time that is up to `share` longer, so that what failed together does not come back together. */
export function withJitter(ms: number, share: number): number {
	return Math.round(ms * (1 + share * Math.random()))
}
