import { describe, expect, test } from 'vitest'
import { formatMs, formatPercent } from './format.ts'
import { changeColumn, moveColumn, parseTableView, shownColumns } from './table-view.ts'
import { axisRange, describeRange, parseRange, previousRange, setDemoRange } from './time-range.ts'
import { fromLocalField, isDayStart, timeTicks, toLocalField } from './time-zone.ts'

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
	])('%j is malformed, and the last 24 hours are used', (search) => {
		expect(parseRange(search)).toEqual({ start: '-24h' })
	})

	test('is compared with the preceding range of equal length', () => {
		expect(previousRange({ start: '-24h' })).toEqual({ start: '-2880m', end: '-24h' })
		expect(previousRange({ start: from, end: to })).toEqual({ start: '2026-11-19T00:00:00.000Z', end: from })
	})

	test('is shown in words', () => {
		expect(describeRange({ start: '-7d' })).toBe('Last 7 days')
		expect(describeRange({ start: '-90m' })).toBe('Last 90 minutes')
		expect(describeRange({ start: '2021-12-31T12:00:00Z', end: '2022-01-01T12:00:00Z' })).toMatch(
			/^31 Dec 2021, \d\d:00 – 1 Jan 2022, \d\d:00$/,
		)
	})
})

test.each([
	['2026-07-01T10:30', 'Europe/Berlin', '2026-07-01T08:30:00.000Z'],
	['2026-01-01T10:30', 'Europe/Berlin', '2026-01-01T09:30:00.000Z'],
	// The hours around a daylight saving change.
	['2026-03-29T01:30', 'Europe/Berlin', '2026-03-29T00:30:00.000Z'],
	['2026-03-29T03:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
	['2026-07-01T10:30', 'Asia/Kathmandu', '2026-07-01T04:45:00.000Z'],
	['2026-07-01T10:30', 'UTC', '2026-07-01T10:30:00.000Z'],
])('%s in %s is %s, and vice versa', (text, zone, moment) => {
	expect(new Date(fromLocalField(text, zone)).toISOString()).toBe(moment)
	expect(toLocalField(Date.parse(moment), zone)).toBe(text)
})

test.each([
	['America/Santiago', '2026-09-06T00:00', '2026-09-06T04:00:00.000Z'],
	['Africa/Cairo', '2026-04-24T00:00', '2026-04-23T22:00:00.000Z'],
	['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45:00.000Z'],
])('a time that the clocks of %s skip, %s, is no earlier day', (zone, text, moment) => {
	expect(new Date(fromLocalField(text, zone)).toISOString()).toBe(moment)
})

const hourMs = 3_600_000

test.each([
	['Australia/Lord_Howe', '2026-10-03T12:00', '2026-10-05T12:00'],
	['America/New_York', '2026-10-31T12:00', '2026-11-02T12:00'],
	['America/Santiago', '2026-09-05T12:00', '2026-09-07T12:00'],
	['Pacific/Chatham', '2026-09-26T12:00', '2026-09-28T12:00'],
	['Asia/Kolkata', '2026-09-26T12:00', '2026-09-28T12:00'],
])(
	'the time axis has the beginning of every day in %s, also around a change of the clocks',
	(zone, from, to) => {
		const ticks = timeTicks(fromLocalField(from, zone), fromLocalField(to, zone), 6 * hourMs, zone)
		expect(ticks.filter((ms) => isDayStart(ms, zone))).toHaveLength(2)
		expect(ticks.map((ms) => Number(toLocalField(ms, zone).slice(11, 13)) % 6).filter(Boolean)).toHaveLength(
			zone === 'America/Santiago' ? 1 : 0,
		)
		expect(ticks).toHaveLength(9)
	},
)

test('the time axis of a year has the beginnings of months', () => {
	const ticks = timeTicks(
		Date.parse('2026-02-10T00:00Z'),
		Date.parse('2026-08-01T00:00Z'),
		60 * 24 * hourMs,
		'UTC',
	)
	expect(ticks.map((ms) => new Date(ms).toISOString().slice(0, 10))).toEqual([
		'2026-03-01',
		'2026-05-01',
		'2026-07-01',
	])
})

test('a table is shown as in its address: columns in order and with their width', () => {
	const columns = [{ key: 'a' }, { key: 'b' }, { key: 'c', extra: true as const }]
	expect(shownColumns(columns, {}).map(({ key }) => key)).toEqual(['a', 'b'])
	const view = parseTableView({ columns: ['c:240', 'a', 'a', 'x y', 7], density: 'compact', sort: '' })
	expect(view).toEqual({ columns: ['c:240', 'a'], density: 'compact' })
	expect(shownColumns(columns, view)).toEqual([{ key: 'c', extra: true, width: 240 }, { key: 'a' }])
	expect(moveColumn(columns, view, 'a', 'c')).toEqual(['a', 'c:240'])
	expect(changeColumn(columns, view, 'c', 100)).toEqual(['c:100', 'a'])
	expect(changeColumn(columns, view, 'c')).toEqual(['c', 'a'])
})

test('a demo is shown from the beginning of its day, however long ago it was created', () => {
	const hourMs = 3_600_000
	const startAfter = (ms: number) => {
		setDemoRange(0, ms)
		return parseRange({}).start
	}
	expect([60_000, 30 * 60_000, hourMs, 49.5 * hourMs].map(startAfter)).toEqual([
		'-24h',
		'-25h',
		'-25h',
		'-74h',
	])
	setDemoRange(0, 0)
})

const asked = { startS: 1000, endS: 2000, halfS: 50 }

test.each([
	['a single value within the range', [1500], [1000, 2000]],
	['no value', [], [1000, 2000]],
	['buckets that begin before the range and end after it', [1010, 1990], [960, 2040]],
])('the time axis shows %s in the range that was asked for', (_name, timesS, expected) => {
	expect(axisRange(timesS, asked)).toEqual(expected)
})

test.each([
	[null, '–'],
	[0, '0 ms'],
	[0.0042, '0.0042 ms'],
	[0.42, '0.42 ms'],
	[9.996, '10 ms'],
	[999.6, '1.00 s'],
	[9_996, '10.0 s'],
	[59_960, '1 min'],
	[3_599_700, '1 h'],
])('%j ms are shown as %s', (ms, text) => {
	expect(formatMs(ms)).toBe(text)
})

test.each([
	[0, '0 %'],
	[0.00004, '< 0.01 %'],
	[0.0123, '1.2 %'],
	[0.996, '99.60 %'],
	[0.99997, '99.99 %'],
	[1, '100 %'],
	[1.5, '150 %'],
])('a share of %d is shown as %s', (share, shown) => {
	expect(formatPercent(share)).toBe(shown)
})
