import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DrainTime } from './otlp-routes.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('returns how long a tenth of the backlog takes at the rate of the last seconds', () => {
	const backlog = { storedRows: 0, pendingRows: 0 }
	// An interval that no other code uses: calls at one interval share a timer, and an existing one would be real.
	const everyMs = 1001
	const drain = new DrainTime(() => backlog, everyMs)
	expect(drain.seconds()).toBe(1)
	backlog.pendingRows = 100_000
	expect(drain.seconds()).toBe(30)
	for (let second = 0; second < 30; second++) {
		backlog.storedRows += everyMs
		vi.advanceTimersByTime(everyMs)
	}
	expect(drain.seconds()).toBe(11)
	backlog.pendingRows = 2000
	expect(drain.seconds()).toBe(1)
	vi.advanceTimersByTime(60_000)
	expect(drain.seconds()).toBe(30)
	drain.close()
})
