import { expect, it } from 'vitest'
import { nextStanding, type Standing, wordFor } from './next-standing.ts'

const ok: Standing = { status: 'ok', sinceMs: 0, pending: null, pendingSinceMs: null }
const firing: Standing = { ...ok, status: 'firing' }

it('changes at once without a waiting time', () => {
	expect(nextStanding(ok, 'firing', 0, 5)).toEqual({ ...firing, sinceMs: 5 })
})

it('fires only after its condition held for the waiting time, and restarts when it did not', () => {
	const first = nextStanding(ok, 'firing', 100, 1000)
	expect(first).toEqual({ ...ok, pending: 'firing', pendingSinceMs: 1000 })
	expect(nextStanding(first, 'firing', 100, 1099)).toEqual(first)
	expect(nextStanding(first, 'firing', 100, 1100)).toEqual({ ...firing, sinceMs: 1100 })
	expect(nextStanding(first, 'ok', 100, 1050)).toEqual(ok)
})

it('is resolved only after the condition was absent for as long', () => {
	const first = nextStanding(firing, 'ok', 100, 1000)
	expect(first).toMatchObject({ status: 'firing', pending: 'ok' })
	expect(nextStanding(first, 'firing', 100, 1050)).toEqual(firing)
	expect(nextStanding(first, 'ok', 100, 1100)).toMatchObject({ status: 'ok', sinceMs: 1100 })
})

it('is unknown at once, and ok again at once if it was not firing', () => {
	const unknown = nextStanding(firing, 'unknown', 100, 7)
	expect(unknown).toMatchObject({ status: 'unknown', sinceMs: 7 })
	expect(nextStanding(unknown, 'ok', 100, 8)).toMatchObject({ status: 'ok' })
})

it('notifies once when it fires, again for a new subject, and once when it is resolved', () => {
	const quiet = { notified: 'resolved', subjects: [] } as const
	const told = { notified: 'firing', subjects: ['a'] } as const
	expect(wordFor(firing, quiet, ['a'])).toBe('firing')
	expect(wordFor(firing, told, ['a'])).toBeNull()
	expect(wordFor(firing, told, ['a', 'b'])).toBe('firing')
	expect(wordFor(ok, told, [])).toBe('resolved')
	expect(wordFor(ok, quiet, [])).toBeNull()
	for (const status of ['unknown', 'no_data'] as const) expect(wordFor({ status }, told, [])).toBeNull()
})
