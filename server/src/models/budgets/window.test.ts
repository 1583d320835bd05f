import { describe, expect, it } from 'vitest'
import { bucketAt } from './budget.ts'

const at = (window: 'hour' | 'day' | 'week' | 'month', timeZone: string, now: string) => {
	const { startMs, endMs } = bucketAt({ window, timeZone, rollingMs: 0 }, Date.parse(now))
	return [startMs, endMs].map((ms) => new Date(ms).toISOString().slice(0, 16))
}

describe('windows of budgets', () => {
	it.each([
		['hour', 'Asia/Kolkata', '2026-11-21T08:10:00Z', '2026-11-21T07:30', '2026-11-21T08:30'],
		['day', 'UTC', '2026-11-21T08:10:00Z', '2026-11-21T00:00', '2026-11-22T00:00'],
		['day', 'America/New_York', '2026-11-21T03:00:00Z', '2026-11-20T05:00', '2026-11-21T05:00'],
		['day', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00', '2026-03-29T22:00'],
		['day', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-24T22:00', '2026-10-25T23:00'],
		// The clock leaves out midnight.
		['day', 'America/Santiago', '2026-09-06T03:30:00Z', '2026-09-05T04:00', '2026-09-06T04:00'],
		['day', 'America/Santiago', '2026-09-06T04:00:00Z', '2026-09-06T04:00', '2026-09-07T03:00'],
		['day', 'Africa/Cairo', '2026-04-23T21:30:00Z', '2026-04-22T22:00', '2026-04-23T22:00'],
		['week', 'Europe/Berlin', '2026-11-22T22:59:00Z', '2026-11-15T23:00', '2026-11-22T23:00'],
		['month', 'Europe/Berlin', '2026-10-31T22:59:00Z', '2026-09-30T22:00', '2026-10-31T23:00'],
		['month', 'UTC', '2026-12-31T23:59:59Z', '2026-12-01T00:00', '2027-01-01T00:00'],
	] as const)('a %s in %s at %s', (window, zone, now, start, end) => {
		expect(at(window, zone, now)).toEqual([start, end])
	})

	it('a rolling window moves in 24 steps and never counts less than its length', () => {
		const day = 86_400_000
		const now = Date.parse('2026-11-21T08:10:00Z')
		const { startMs, endMs, countedFromMs } = bucketAt(
			{ window: 'rolling', timeZone: 'UTC', rollingMs: day },
			now,
		)
		expect(endMs - startMs).toBe(day / 24)
		expect(countedFromMs).toBeLessThanOrEqual(now - day)
		expect(countedFromMs).toBeGreaterThan(now - day - day / 24)
	})
})
