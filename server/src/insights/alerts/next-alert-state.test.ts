import { expect, it } from 'vitest'
import { type AlertState, nextAlertState, notificationFor } from './next-alert-state.ts'

const ok: AlertState = { status: 'ok', sinceMs: 0, pending: null, pendingSinceMs: null }
const firing: AlertState = { ...ok, status: 'firing' }

it('changes at once without a waiting time', () => {
	expect(nextAlertState(ok, 'firing', 0, 5)).toEqual({ ...firing, sinceMs: 5 })
})

it('fires only after its condition held for the waiting time, and restarts when it did not', () => {
	const first = nextAlertState(ok, 'firing', 100, 1000)
	expect(first).toEqual({ ...ok, pending: 'firing', pendingSinceMs: 1000 })
	expect(nextAlertState(first, 'firing', 100, 1099)).toEqual(first)
	expect(nextAlertState(first, 'firing', 100, 1100)).toEqual({ ...firing, sinceMs: 1100 })
	expect(nextAlertState(first, 'ok', 100, 1050)).toEqual(ok)
})

it('waits no longer than that after the clock was set back', () => {
	const first = nextAlertState(ok, 'firing', 100, 9000)
	const back = nextAlertState(first, 'firing', 100, 1000)
	expect(back).toEqual({ ...ok, pending: 'firing', pendingSinceMs: 1000 })
	expect(nextAlertState(back, 'firing', 100, 1100).status).toBe('firing')
})

it('is resolved only after the condition was absent for as long', () => {
	const first = nextAlertState(firing, 'ok', 100, 1000)
	expect(first).toMatchObject({ status: 'firing', pending: 'ok' })
	expect(nextAlertState(first, 'firing', 100, 1050)).toEqual(firing)
	expect(nextAlertState(first, 'ok', 100, 1100)).toMatchObject({ status: 'ok', sinceMs: 1100 })
})

it('is unknown at once, and ok again at once if it was not firing', () => {
	const unknown = nextAlertState(firing, 'unknown', 100, 7)
	expect(unknown).toMatchObject({ status: 'unknown', sinceMs: 7 })
	expect(nextAlertState(unknown, 'ok', 100, 8)).toMatchObject({ status: 'ok' })
})

it('notifies once when it fires, again for a new subject, and once when it is resolved', () => {
	const quiet = { notified: 'resolved', subjects: [] } as const
	const notified = { notified: 'firing', subjects: ['a'] } as const
	expect(notificationFor(firing, quiet, ['a'])).toBe('firing')
	expect(notificationFor(firing, notified, ['a'])).toBeNull()
	expect(notificationFor(firing, notified, ['a', 'b'])).toBe('firing')
	expect(notificationFor(firing, quiet, [])).toBeNull()
	expect(notificationFor(ok, notified, [])).toBe('resolved')
	expect(notificationFor(ok, quiet, [])).toBeNull()
	for (const status of ['unknown', 'no_data'] as const)
		expect(notificationFor({ status }, notified, [])).toBeNull()
})
