import type { TimeRange } from '../../platform/time-range.ts'

/** Spans are stored in the order of periods of this length. */
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
