import type { AlertStatus } from '@signalbox/contract'

/** The state of an alert, and the one that it may come into. */
export interface Standing {
	status: AlertStatus
	sinceMs: number
	pending: AlertStatus | null
	pendingSinceMs: number | null
}

/**
 * How a judgement moves the state. To fire, and to stop firing, it must have been so for `forMs`; that the alert cannot be
 * judged is true at once.
 */
export function nextStanding(before: Standing, seen: AlertStatus, forMs: number, nowMs: number): Standing {
	if (seen === before.status) return { ...before, pending: null, pendingSinceMs: null }
	const sinceMs = before.pending === seen && before.pendingSinceMs !== null ? before.pendingSinceMs : nowMs
	const mustHold = seen !== 'unknown' && (seen === 'firing' || before.status === 'firing')
	if (mustHold && nowMs - sinceMs < forMs) return { ...before, pending: seen, pendingSinceMs: sinceMs }
	return { status: seen, sinceMs: nowMs, pending: null, pendingSinceMs: null }
}

export type Word = 'firing' | 'resolved'

interface LastNotification {
	notified: Word
	subjects: readonly string[]
}

/**
 * What must be notified now: that it fires, of something new too, and that it is over after that. While an alert cannot be judged
 * nothing is notified, so that it neither seems over nor fires twice.
 */
export function wordFor(
	{ status }: Pick<Standing, 'status'>,
	before: LastNotification,
	subjects: readonly string[],
): Word | null {
	if (status === 'ok') return before.notified === 'firing' ? 'resolved' : null
	if (status !== 'firing') return null
	const isNews =
		before.notified !== 'firing' || subjects.some((subject) => !before.subjects.includes(subject))
	return isNews ? 'firing' : null
}
