/** The delays before retries: each is twice the previous one, up to the longest. */
export interface BackOff {
	firstMs: number
	maxMs: number
}

/** The delay after so many failures beyond the first (from 0), without jitter. */
export function doubledMs({ firstMs, maxMs }: BackOff, failures: number): number {
	return Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30))
}

/** The same with jitter over half of it, so that things that failed together do not retry together. */
export function backOffMs(backOff: BackOff, failures: number, random: () => number = Math.random): number {
	return (doubledMs(backOff, failures) * (1 + random())) / 2
}

/** A time that is up to `share` longer, for delays that must not be shorter. */
export function withJitter(ms: number, share: number): number {
	return Math.round(ms * (1 + share * Math.random()))
}

/** The delay that a `retry-after` header asks for (seconds or a date), at most `maxMs`; null if it asks for none. */
export function askedDelayMs(header: string | null, nowMs: number, maxMs: number): number | null {
	if (header === null) return null
	const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs
	return Number.isFinite(ms) ? Math.min(maxMs, Math.max(0, ms)) : null
}
