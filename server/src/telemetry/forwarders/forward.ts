import type { ForwardedSignal } from '@signalbox/contract'
import { Problem } from '../../platform/errors.ts'
import type { RunningJob } from '../../platform/jobs/job.ts'
import { doubledMs, withJitter } from '../../platform/retry.ts'
import type { ForwarderContext } from './forwarder-context.ts'
import {
	type CursorRow,
	type ForwarderRow,
	findForwarder,
	listCursors,
	moveCursor,
} from './forwarder-repository.ts'
import { lagOf } from './present-forwarder.ts'
import { maxAskedMs, type Outcome, type RetryLater } from './receivers/send-otlp.ts'
import { sendRows } from './receivers/send-rows.ts'
import { type Arrived, type Page, readArrived, readPage } from './signal-source.ts'

export const forwardJob = 'forward'

const second = 1000
/** Time until the next read after one that found something, and after one that found nothing. */
const soonMs = 200
const idleMs = 2 * second
/** A run ends after this time, so that a change of the forwarder takes effect. */
const maxRunMs = 10 * second
const backOff = { firstMs: second, maxMs: 60 * second }
const jitter = 0.5
const concurrency = 16
const leaseMs = 60 * second

/** Registers the job that sends stored rows. One process at a time holds a forwarder; a cursor moves only under its lease. */
export function handleForwarders(context: ForwarderContext): void {
	const retry = () => withJitter(backOff.maxMs, jitter)
	context.jobs.handle(forwardJob, (job) => forward(context, job), { concurrency, leaseMs, retry })
}

interface Move {
	cursor: CursorRow
	values: Partial<CursorRow>
}

interface Round {
	/** When to run again. */
	nextMs: number
	/** An update that is still to be written: that there was nothing to send. */
	idle: Move | null
}

interface Run {
	context: ForwarderContext
	job: RunningJob
	row: ForwarderRow
	endMs: number
	/** Reads it at the first call. */
	arrived(): Promise<Arrived>
}

/** One run of a forwarder: each signal sends what is pending, and the next run is scheduled. */
async function forward(context: ForwarderContext, job: RunningJob): Promise<void> {
	const { store, clock } = context
	const row = await findForwarder(store.db, job.workspaceId ?? '', job.key)
	if (row?.enabled !== 1) return
	const cursors = await listCursors(store.db, row.workspace_id, [row.id])
	let reading: Promise<Arrived> | undefined
	const arrived = () => (reading ??= readArrived(context, row.workspace_id, cursors))
	const run: Run = { context, job, row, endMs: clock.nowMs() + maxRunMs, arrived }
	const rounds = await allEnded(cursors.map((cursor) => forwardSignal(run, cursor)))
	await job.commit(async (tx) => {
		for (const { idle } of rounds) if (idle) await moveCursor(tx, idle.cursor, idle.values)
		await job.again(tx, Math.min(clock.nowMs() + idleMs, ...rounds.map(({ nextMs }) => nextMs)))
	})
}

/** Waits for all parts even if one fails, so that nothing still runs when the job has ended. */
async function allEnded<T>(parts: Promise<T>[]): Promise<T[]> {
	await Promise.allSettled(parts)
	return Promise.all(parts)
}

/** Sends a signal page by page. */
async function forwardSignal(run: Run, first: CursorRow): Promise<Round> {
	const { context, job, endMs } = run
	const { clock } = context
	let cursor = first
	while (clock.nowMs() < endMs) {
		const waitMs = (cursor.next_at ?? 0) - clock.nowMs()
		// A longer wait was set before the clock was set back.
		if (waitMs > 0 && waitMs <= maxAskedMs) return { nextMs: cursor.next_at as number, idle: null }
		job.signal.throwIfAborted()
		const { page, outcome } = await attempt(run, cursor)
		const values = valuesAfter(context, cursor, page, outcome)
		if (outcome.kind === 'taken' && page.rows.length === 0) {
			const nextMs = clock.nowMs() + (cursor === first ? idleMs : soonMs)
			return { nextMs, idle: { cursor, values } }
		}
		const moved = await job.commit((tx) => moveCursor(tx, cursor, values))
		if (!moved) break
		cursor = { ...cursor, ...values }
	}
	return { nextMs: clock.nowMs(), idle: null }
}

interface Attempt {
	page: Page
	outcome: Outcome
}

/** A store that does not answer is a reason to retry later, like a receiver that does not. */
async function attempt({ context, row, job, arrived }: Run, cursor: CursorRow): Promise<Attempt> {
	try {
		const page = await readPage(context, row, cursor, arrived)
		if (page.rows.length === 0) return { page, outcome: { kind: 'taken', refused: 0, reason: null } }
		const signal = cursor.signal as ForwardedSignal
		return { page, outcome: await sendRows(context, row, signal, page.rows, job.signal) }
	} catch (error) {
		if (!(error instanceof Problem)) throw error
		const page = { rows: [], position: cursor.position, settledAt: null }
		return { page, outcome: { kind: 'later', error: error.message, afterMs: null } }
	}
}

/** The cursor's new values after an attempt; also counts the attempt. */
function valuesAfter(
	{ clock, counts }: ForwarderContext,
	cursor: CursorRow,
	page: Page,
	outcome: Outcome,
): Partial<CursorRow> {
	const nowMs = clock.nowMs()
	const values =
		outcome.kind === 'later'
			? afterFailure(cursor, outcome, nowMs)
			: afterSuccess(cursor, page, outcome, nowMs)
	const seconds = lagOf({ ...cursor, ...values }, nowMs)
	counts.lag.set(`${cursor.forwarder_id} ${cursor.signal}`, { seconds, atMs: nowMs })
	if (outcome.kind === 'later') counts.failed += 1
	else {
		counts.sent += page.rows.length - outcome.refused
		counts.refused += outcome.refused
	}
	return values
}

function afterSuccess(
	cursor: CursorRow,
	{ rows, position, settledAt }: Page,
	{ refused, reason }: Exclude<Outcome, RetryLater>,
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

/** For telemetry, the time is part of the position. */
function settledBy({ signal, settled_at }: CursorRow, position: string): number {
	return signal === 'audit' ? settled_at : Number(position.split(':')[0]) - 1
}

function afterFailure(
	{ attempts, failing_since }: CursorRow,
	{ error, afterMs }: RetryLater,
	nowMs: number,
): Partial<CursorRow> {
	const waitMs = withJitter(doubledMs(backOff, attempts), jitter)
	return {
		error,
		failing_since: failing_since ?? nowMs,
		attempts: attempts + 1,
		next_at: nowMs + Math.max(waitMs, afterMs ?? 0),
	}
}
