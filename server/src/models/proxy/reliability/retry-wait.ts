import type { IncomingHttpHeaders } from 'node:http'
import { backOffMs } from '../../../platform/retry.ts'

const backOff = { firstMs: 500, longestMs: 8000 }
/** Longer than this nobody should wait in line: with another target at hand, and without. */
const patienceMs = { besideOthers: 2000, alone: 20_000 }

/** What a provider asks callers to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function askedWaitMs(headers: IncomingHttpHeaders, nowMs: number): number | null {
	const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
	if (exact >= 0) return exact
	const text = headers['retry-after']
	if (text === undefined) return null
	const seconds = Number(text)
	if (seconds >= 0) return seconds * 1000
	const at = Date.parse(text)
	return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

/**
 * How long to wait before a target is asked for the `retry`-th time again (from 0), or null when that is too long. Half
 * of a wait of our own and a tenth more than an asked one are left to chance, so that callers do not come back together.
 */
export function retryWaitMs(
	retry: number,
	askedMs: number | null,
	othersLeft: boolean,
	random: () => number = Math.random,
): number | null {
	const limitMs = othersLeft ? patienceMs.besideOthers : patienceMs.alone
	if (askedMs !== null) return askedMs > limitMs ? null : askedMs * (1 + random() / 10)
	return Math.min(limitMs, backOffMs(backOff, retry, random))
}
