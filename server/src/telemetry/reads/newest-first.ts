import type { TimeRange } from '../../platform/time-range.ts'

/** Spans are ordered by stretches of so long. */
const firstMs = 5 * 60 * 1000
const timesAsFar = 12

/**
 * How far back a list of the newest is looked for, step by step, each going twelve times as far as the one before: a page is mostly
 * found in the first, and what is rare is not looked for many times.
 */
export function beginningsBefore({ startMs, endMs }: TimeRange): number[] {
	const beginnings: number[] = []
	for (let reachMs = firstMs; ; reachMs *= timesAsFar) {
		const beginMs = Math.floor((endMs - reachMs) / firstMs) * firstMs
		// Where less than as much again would be left, all is looked at.
		if (beginMs - reachMs <= startMs) return [...beginnings, startMs]
		beginnings.push(beginMs)
	}
}

/** The first so many rows of a range, which `read` gives of a part of it, the newest first. */
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
