import type { ForwardedSignal } from '@signalbox/contract'
import { type RunningJob, withJitter } from '../platform/jobs/index.ts'
import type { ForwarderContext } from './context.ts'
import { lagOf } from './present-forwarder.ts'
import type { Later, Outcome } from './receivers/delivery.ts'
import { sendRows } from './receivers/send-rows.ts'
import { type CursorRow, type ForwarderRow, findForwarder, listCursors, moveCursor } from './repository.ts'
import { type Page, readPage } from './signal-source.ts'

export const forwardJob = 'forward'

const second = 1000
/** Until the next look when the last one found something, and when it found nothing. */
const soonMs = 200
const idleMs = 2 * second
/** A run ends after so long, so that a change of the forwarder is seen. */
const longestRunMs = 10 * second
const firstWaitMs = second
const longestWaitMs = 60 * second
const jitter = 0.5
const concurrency = 16
const leaseMs = 60 * second

/** Has the job runner send what was stored. One process at a time holds a forwarder; a cursor moves under its lease only. */
export function handleForwarders(context: ForwarderContext): void {
	context.jobs.handle(forwardJob, (job) => forward(context, job), { concurrency, leaseMs })
}

/** One run of a forwarder: each signal sends what there is, and the next run is set. */
async function forward(context: ForwarderContext, job: RunningJob): Promise<void> {
	const { store, clock } = context
	const row = await findForwarder(store.db, job.workspaceId ?? '', job.key)
	if (row?.enabled !== 1) return
	const cursors = await listCursors(store.db, row.workspace_id, [row.id])
	const endMs = clock.nowMs() + longestRunMs
	const nextMs = await Promise.all(cursors.map((cursor) => forwardSignal(context, job, row, cursor, endMs)))
	await job.commit((tx) => job.again(tx, Math.min(clock.nowMs() + idleMs, ...nextMs)))
}

/** Sends page after page of a signal, and returns when to come back. */
async function forwardSignal(
	context: ForwarderContext,
	job: RunningJob,
	row: ForwarderRow,
	first: CursorRow,
	endMs: number,
): Promise<number> {
	const { clock } = context
	let sent = 0
	for (let cursor = first; clock.nowMs() < endMs; ) {
		if ((cursor.next_at ?? 0) > clock.nowMs()) return cursor.next_at as number
		job.signal.throwIfAborted()
		const page = await readPage(context, row, cursor)
		const outcome = await sendPage(context, row, cursor, page, job.signal)
		const moved = await note(context, job, cursor, page, outcome)
		if (!moved) break
		cursor = moved
		sent += page.rows.length
		if (outcome.kind === 'taken' && page.settledAt !== null)
			return clock.nowMs() + (sent > 0 ? soonMs : idleMs)
	}
	return clock.nowMs()
}

const nothing: Outcome = { kind: 'taken', refused: 0, reason: null }

function sendPage(
	context: ForwarderContext,
	row: ForwarderRow,
	{ signal }: CursorRow,
	{ rows }: Page,
	ending: AbortSignal,
): Promise<Outcome> {
	if (rows.length === 0) return Promise.resolve(nothing)
	return sendRows(context, row, signal as ForwardedSignal, rows, ending)
}

/** The cursor as it is now; null when somebody else has moved it or taken it away. */
async function note(
	{ clock, counts }: ForwarderContext,
	job: RunningJob,
	cursor: CursorRow,
	page: Page,
	outcome: Outcome,
): Promise<CursorRow | null> {
	const nowMs = clock.nowMs()
	const values =
		outcome.kind === 'later'
			? afterFailure(cursor, outcome, nowMs)
			: afterSuccess(cursor, page, outcome, nowMs)
	const next = { ...cursor, ...values }
	const moved = await job.commit((tx) => moveCursor(tx, cursor, values))
	counts.lag.set(`${cursor.forwarder_id} ${cursor.signal}`, { seconds: lagOf(next, nowMs), atMs: nowMs })
	if (outcome.kind === 'later') counts.failed += 1
	else {
		counts.sent += page.rows.length - outcome.refused
		counts.refused += outcome.refused
	}
	return moved ? next : null
}

function afterSuccess(
	cursor: CursorRow,
	{ rows, position, settledAt }: Page,
	{ refused, reason }: Exclude<Outcome, Later>,
	nowMs: number,
): Partial<CursorRow> {
	return {
		position,
		settled_at: settledAt ?? Math.max(cursor.settled_at, settledBy(cursor, position)),
		...{ error: null, failing_since: null, attempts: 0, next_at: null },
		...(rows.length > 0 && {
			sent: cursor.sent + rows.length - refused,
			refused: cursor.refused + refused,
			last_refusal: reason ?? cursor.last_refusal,
			sent_at: nowMs,
		}),
	}
}

/** Of telemetry, the position says it. */
function settledBy({ signal, settled_at }: CursorRow, position: string): number {
	return signal === 'audit' ? settled_at : Number(position.split(':')[0]) - 1
}

function afterFailure(
	{ attempts, failing_since }: CursorRow,
	{ error, afterMs }: Later,
	nowMs: number,
): Partial<CursorRow> {
	const waitMs = withJitter(Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempts, 10)), jitter)
	return {
		error,
		failing_since: failing_since ?? nowMs,
		attempts: attempts + 1,
		next_at: nowMs + Math.max(waitMs, afterMs ?? 0),
	}
}
