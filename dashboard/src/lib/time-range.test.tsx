import { describe, expect, test } from 'vitest'
import { describeRange, parseRange, previousRange, showDayBefore } from './time-range.ts'

const from = '2026-11-20T00:00:00.000Z'
const to = '2026-11-21T00:00:00.000Z'

describe('the time range of a URL', () => {
	test.each([
		[{ start: '-1h' }, { start: '-1h' }],
		[{ start: '-90m', end: to }, { start: '-90m' }],
		[
			{ start: from, end: to },
			{ start: from, end: to },
		],
	])('%j is kept as %j', (search, range) => {
		expect(parseRange(search)).toEqual(range)
	})

	test.each([
		[{}],
		[{ start: 'yesterday' }],
		[{ start: '-0h' }],
		[{ start: '-1y' }],
		[{ start: from }],
		[{ start: to, end: from }],
		[{ start: 5, end: null }],
	])('%j is malformed, and the last 24 hours stand', (search) => {
		expect(parseRange(search)).toEqual({ start: '-24h' })
	})

	test('is compared with the time of equal length before it', () => {
		expect(previousRange({ start: '-24h' })).toEqual({ start: '-2880m', end: '-24h' })
		expect(previousRange({ start: from, end: to })).toEqual({ start: '2026-11-19T00:00:00.000Z', end: from })
	})

	test('is told in words', () => {
		expect(describeRange({ start: '-7d' })).toBe('Last 7 days')
		expect(describeRange({ start: '-90m' })).toBe('Since 90m ago')
	})
})

test('a demo is shown from the beginning of its day, however long ago it was made', () => {
	const hourMs = 3_600_000
	const startAfter = (ms: number) => {
		showDayBefore(0, ms)
		return parseRange({}).start
	}
	expect([60_000, 30 * 60_000, hourMs, 49.5 * hourMs].map(startAfter)).toEqual([
		'-24h',
		'-25h',
		'-25h',
		'-74h',
	])
	showDayBefore(0, 0)
})
