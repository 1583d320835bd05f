import { Problem } from './errors.ts'
import type { TimeRange } from './time-range.ts'

/** A chart has no room for more. */
const mostBuckets = 120
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const intervals = [
	1,
	5,
	10,
	50,
	100,
	500,
	...[1, 5, 10, 15, 30].map((count) => count * second),
	...[1, 5, 10, 15, 30].map((count) => count * minute),
	...[1, 3, 6, 12].map((count) => count * hour),
	...[1, 2, 7, 14, 28].map((count) => count * day),
]

/** The shortest usual interval with which a range has at most 120 buckets. */
export function chooseInterval({ startMs, endMs }: TimeRange): number {
	const leastMs = (endMs - startMs) / mostBuckets
	return intervals.find((interval) => interval >= leastMs) ?? Math.ceil(leastMs / day) * day
}

/** The interval that was asked for, or else the usual one. Throws Problem 400 when it makes more than 1,200 of the range. */
export function readInterval(range: TimeRange, wanted: number | undefined): number {
	const most = 10 * mostBuckets
	if (wanted === undefined) return chooseInterval(range)
	if ((range.endMs - range.startMs) / wanted <= most) return wanted
	const detail = `makes more than ${most} intervals of the range`
	throw new Problem('invalid_request', `interval_ms: ${detail}.`, {
		errors: [{ pointer: '/interval_ms', code: 'interval', detail }],
	})
}
