import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { LogSegment } from './log-entry.ts'
import { BatchPace, PendingRows } from './pending-rows.ts'

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
	vi.useRealTimers()
})

it('lets a few batches begin at once and then one per interval', () => {
	const pace = new BatchPace(1000)
	expect(begunWithin(pace, 0)).toBe(8)
	expect(pace.waitMs()).toBe(1000)
	expect(begunWithin(pace, 60_000)).toBe(60)
})

it('has a few batches available again after a pause, and never more', () => {
	const pace = new BatchPace(1000)
	begunWithin(pace, 0)
	vi.advanceTimersByTime(3000)
	expect(begunWithin(pace, 0)).toBe(3)
	vi.advanceTimersByTime(3_600_000)
	expect(begunWithin(pace, 0)).toBe(8)
})

it('counts batches that begin because they are full', () => {
	const pace = new BatchPace(1000)
	for (let full = 0; full < 100; full += 1) pace.begin()
	expect(pace.waitMs()).toBe(1000)
})

it('takes half as much after the store had too little memory, and gradually more again', () => {
	const marks = Array.from({ length: 200 }, (_, n) => ({ to: n + 1, rows: 1, atMs: 0 }))
	const segment = { marks, flushedEnd: 200, takenTo: 0 } as unknown as LogSegment
	const limits = { rows: 40, bytes: 1000, delayMs: 250, streamDelayMs: 2000 }
	const pending = new PendingRows(new Map([[1, segment]]), limits)
	const taken = () => pending.take()?.range.rows
	expect(taken()).toBe(40)
	pending.takeLess()
	pending.takeLess()
	expect(taken()).toBe(10)
	pending.takeMore()
	expect(taken()).toBe(12)
	for (let stored = 0; stored < 9; stored += 1) pending.takeMore()
	expect(taken()).toBe(40)
})

it('has nothing due after a restart with a log whose rows are all stored', () => {
	const segment = { marks: [{ to: 300, rows: 0, atMs: 0 }], flushedEnd: 300, takenTo: 200 }
	const limits = { rows: 300_000, bytes: 100, delayMs: 250, streamDelayMs: 2000 }
	const pending = new PendingRows(new Map([[1, segment as unknown as LogSegment]]), limits)
	vi.advanceTimersByTime(60_000)
	expect([pending.isDue(), pending.waitMs()]).toEqual([false, Number.POSITIVE_INFINITY])
	segment.marks.push({ to: 301, rows: 1, atMs: 0 })
	expect([pending.add(1, 1), pending.waitMs()]).toEqual([true, 250])
})

it.each([
	['a few by hand', 10, 250, 250],
	['a stream, whatever it has in hand', 1000, 2000, 8000],
	['more of a stream', 10_000, 1000, 8000],
	['a flood', 40_000, 1000, 1000],
])(
	'waits for the interval after the previous batch, with and without a reader: %s',
	(_, rows, watchedMs, unwatchedMs) => {
		const waited = (isWatched: boolean) => {
			const pending = newPending(1)
			vi.advanceTimersByTime(60_000)
			expect(pending.take()?.range.rows).toBe(1)
			if (isWatched) pending.watched()
			pending.add(rows, rows)
			for (let ms = 0; ; ms += 250) {
				if (pending.isDue()) return ms
				vi.advanceTimersByTime(250)
				// The stream continues.
				pending.add(1, 1)
			}
		}
		expect(waited(true)).toBe(watchedMs)
		expect(waited(false)).toBe(unwatchedMs)
	},
)

it('delays answers while the store falls behind, but not while it takes nothing', () => {
	const pending = newPending(1)
	pending.add(400_000, 1)
	expect(pending.holdBackMs()).toBe(0)
	pending.take()
	const found = [0.5, 1, 2, 100].map((batches) => {
		pending.add(batches * 300_000 - pending.rows, 0)
		return pending.holdBackMs()
	})
	expect(found).toEqual([0, 50, 250, 1000])
	vi.advanceTimersByTime(10_001)
	expect(pending.holdBackMs()).toBe(0)
})

it('delays no answers after the stream has ended', () => {
	const pending = newPending(1)
	pending.take()
	vi.advanceTimersByTime(1500)
	pending.add(1000, 1000)
	expect(pending.waitMs()).toBe(1000)
})

it('makes rows due earlier for the first reader', () => {
	const pending = newPending(1)
	pending.take()
	vi.advanceTimersByTime(1800)
	pending.add(1000, 1000)
	vi.advanceTimersByTime(300)
	expect(pending.isDue()).toBe(false)
	expect(pending.watched()).toBe(true)
	expect(pending.isDue()).toBe(true)
	expect(pending.watched()).toBe(false)
})

it('a reader of half a minute ago no longer counts', () => {
	const pending = newPending(1)
	pending.watched()
	vi.advanceTimersByTime(30_000)
	pending.take()
	vi.advanceTimersByTime(7500)
	pending.add(1000, 1000)
	expect(pending.waitMs()).toBe(500)
})

it('lets the first batch of a stream begin at once', () => {
	const pending = newPending(0)
	pending.add(1000, 1000)
	expect(pending.waitMs()).toBe(250)
})

function newPending(rows: number): PendingRows {
	const marks = rows === 0 ? [] : [{ to: 100, rows, atMs: 0 }]
	const segment = { marks, flushedEnd: 100, takenTo: 0 } as unknown as LogSegment
	return new PendingRows(new Map([[1, segment]]), {
		rows: 300_000,
		bytes: 64 * 1024 * 1024,
		delayMs: 250,
		streamDelayMs: 2000,
		unwatchedDelayMs: 8000,
	})
}

/** How many batches begin within a period, each as soon as it may. */
function begunWithin(pace: BatchPace, ms: number): number {
	const endMs = performance.now() + ms
	for (let begun = 0; ; begun += 1) {
		const waitMs = Math.max(0, pace.waitMs())
		if (performance.now() + waitMs > endMs) return begun
		vi.advanceTimersByTime(waitMs)
		pace.begin()
	}
}
