import type { AlertStatus } from '@signalbox/contract'

/** The state of an alert, and the pending one. */
export interface AlertState {
	status: AlertStatus
	sinceMs: number
	pending: AlertStatus | null
	pendingSinceMs: number | null
}

/**
 * The state after an evaluation. To fire, and to stop firing, the condition must have held for `forMs`; unknown takes effect at once.
 */
export function nextAlertState(
	before: AlertState,
	seen: AlertStatus,
	forMs: number,
	nowMs: number,
): AlertState {
	if (seen === before.status) return { ...before, pending: null, pendingSinceMs: null }
	// A time in the future is from before the clock was set back.
	const sinceMs = before.pending === seen ? Math.min(before.pendingSinceMs ?? nowMs, nowMs) : nowMs
	const mustHold = seen !== 'unknown' && (seen === 'firing' || before.status === 'firing')
	if (mustHold && nowMs - sinceMs < forMs) return { ...before, pending: seen, pendingSinceMs: sinceMs }
	return { status: seen, sinceMs: nowMs, pending: null, pendingSinceMs: null }
}

export type NotificationKind = 'firing' | 'resolved'

interface LastNotification {
	notified: NotificationKind
	subjects: readonly string[]
}

/**
 * The notification to send now: that it fires, also for a new subject, or that it is resolved. While an alert is unknown nothing is
 * notified, so that it neither seems resolved nor fires twice.
 */
export function notificationFor(
	{ status }: Pick<AlertState, 'status'>,
	before: LastNotification,
	subjects: readonly string[],
): NotificationKind | null {
	if (status === 'ok') return before.notified === 'firing' ? 'resolved' : null
	// Without a subject the condition no longer holds, and the alert only waits to resolve.
	if (status !== 'firing' || subjects.length === 0) return null
	const isNews =
		before.notified !== 'firing' || subjects.some((subject) => !before.subjects.includes(subject))
	return isNews ? 'firing' : null
}
