/** How long to wait before something that failed is tried again: each wait twice the last one, up to the longest. */
export interface BackOff {
	firstMs: number
	longestMs: number
}

/** The wait after this many failures beyond the first (from 0), without chance. */
export function doubledMs({ firstMs, longestMs }: BackOff, failures: number): number {
	return Math.min(longestMs, firstMs * 2 ** Math.min(failures, 30))
}

/** The same, half of it left to chance, so that what failed together does not come back together. */
export function backOffMs(backOff: BackOff, failures: number, random: () => number = Math.random): number {
	return (doubledMs(backOff, failures) * (1 + random())) / 2
}

/** A time that is up to `share` longer, where the wait must not be shorter than it says. */
export function withJitter(ms: number, share: number): number {
	return Math.round(ms * (1 + share * Math.random()))
}
