import { Problem } from './errors.ts'

/** From `startMs` (inclusive) to `endMs` (exclusive). */
export interface TimeRange {
	startMs: number
	endMs: number
}

const unitMs: Readonly<Record<string, number>> = {
	s: 1000,
	m: 60_000,
	h: 3_600_000,
	d: 86_400_000,
	w: 604_800_000,
}
const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/
/** The range of times that the telemetry store can compare. */
const earliestMs = 0
const latestMs = Date.parse('2200-01-01T00:00:00Z')

/** Parses `start` (default: a day before the end) and `end` (default: now). Throws Problem 400 naming the field. */
export function readTimeRange(query: { start?: string; end?: string }, nowMs: number): TimeRange {
	const endMs = query.end === undefined ? nowMs : readTime('end', query.end, nowMs)
	const startMs =
		query.start === undefined
			? Math.max(earliestMs, endMs - 86_400_000)
			: readTime('start', query.start, nowMs)
	if (startMs >= endMs) throw badTime('start', 'is not before end')
	return { startMs, endMs }
}

function readTime(field: string, text: string, nowMs: number): number {
	const ms = parseTime(text, nowMs)
	if (Number.isNaN(ms)) throw badTime(field, 'is neither an RFC 3339 time nor relative like -15m, -24h, -7d')
	if (ms < earliestMs || ms > latestMs) throw badTime(field, 'is outside 1970 to 2200')
	return ms
}

function parseTime(text: string, nowMs: number): number {
	if (text === 'now') return nowMs
	if (/^-\d{1,9}[smhdw]$/.test(text)) return nowMs - parseDuration(text.slice(1))
	return rfc3339.test(text) ? Date.parse(text) : Number.NaN
}

/** The milliseconds of a duration such as `30s`, `5m`, `1h`, `7d`, `2w`. */
export function parseDuration(text: string): number {
	return Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? Number.NaN)
}

function badTime(field: string, detail: string): Problem {
	return new Problem('invalid_request', `${field} ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'time', detail }],
	})
}

/** The most buckets that a chart can show. */
const maxBuckets = 120
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

/** The shortest standard interval that divides a range into at most 120 buckets. */
export function chooseInterval({ startMs, endMs }: TimeRange): number {
	const minMs = (endMs - startMs) / maxBuckets
	return intervals.find((interval) => interval >= minMs) ?? Math.ceil(minMs / day) * day
}

/** The requested interval, or else the default one. Throws Problem 400 if it divides the range into more than 1,200 buckets. */
export function readInterval(range: TimeRange, wanted: number | undefined): number {
	const most = 10 * maxBuckets
	if (wanted === undefined) return chooseInterval(range)
	if ((range.endMs - range.startMs) / wanted <= most) return wanted
	const detail = `makes more than ${most} intervals of the range`
	throw new Problem('invalid_request', `interval_ms: ${detail}.`, {
		errors: [{ pointer: '/interval_ms', code: 'interval', detail }],
	})
}

/** Rows of telemetry are stored in the order of periods of this length. */
const firstMs = 5 * 60 * 1000
const timesAsFar = 12

/**
 * The starts of the steps in which a newest-first list searches backwards, each reaching twelve times as far as the one before: a
 * page is usually found in the first step, and a rare row needs few steps.
 */
export function beginningsBefore({ startMs, endMs }: TimeRange): number[] {
	const beginnings: number[] = []
	for (let reachMs = firstMs; ; reachMs *= timesAsFar) {
		const beginMs = Math.floor((endMs - reachMs) / firstMs) * firstMs
		// If what would be left is shorter than this step, the step covers the rest.
		if (beginMs - reachMs <= startMs) return [...beginnings, startMs]
		beginnings.push(beginMs)
	}
}

/** The first `limit` rows of a range, newest first. `read` returns those of a part of the range. */
export async function readNewest<Row>(
	{ startMs, endMs }: TimeRange,
	limit: number,
	read: (part: TimeRange, limit: number) => Promise<Row[]>,
): Promise<Row[]> {
	const rows: Row[] = []
	let untilMs = endMs
	for (const beginMs of beginningsBefore({ startMs, endMs })) {
		rows.push(...(await read({ startMs: beginMs, endMs: untilMs }, limit - rows.length)))
		if (rows.length >= limit) break
		untilMs = beginMs
	}
	return rows
}
