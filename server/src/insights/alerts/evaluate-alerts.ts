import type { AlertStatus } from '@signalbox/contract'
import { StoreUnavailable } from '../../platform/clickhouse/index.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import { Problem } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { RunningJob } from '../../platform/jobs/index.ts'
import { type AlertRow, type Reading, watchOf } from './alert.ts'
import { builtInRows } from './built-ins.ts'
import type { AlertContext } from './context.ts'
import { nextStanding, type Standing, type Word, wordFor } from './next-standing.ts'
import { readBuiltIn } from './readings/read-built-ins.ts'
import { readQuestion } from './readings/read-question.ts'
import {
	findAlert,
	insertAlerts,
	insertTransition,
	listDueAlerts,
	listWorkspacesWithoutAlerts,
	updateAlert,
} from './repository.ts'
import { tell } from './tell.ts'

const batch = 50
/** Judged at the same time: the telemetry store has others to serve. */
const atOnce = 4

/** Judges all that is due. The job's lease makes it one process at a time; a late one commits nothing. */
export async function evaluateDueAlerts(context: AlertContext, job: RunningJob): Promise<void> {
	const { store, clock } = context
	while (!job.signal.aborted) {
		const due = await listDueAlerts(store.db, clock.nowMs(), batch)
		for (let first = 0; first < due.length && !job.signal.aborted; first += atOnce)
			await Promise.all(due.slice(first, first + atOnce).map((row) => evaluate(context, job, row)))
		if (due.length < batch) return
	}
}

/** Gives workspaces that are new, or older than alerts are, the five that each has. */
export async function addBuiltInAlerts({ store, mutate, clock }: AlertContext): Promise<void> {
	const list = () => listWorkspacesWithoutAlerts(store.db, batch)
	for (let ids = await list(); ids.length > 0; ids = await list()) {
		const rows = ids.flatMap((id) => builtInRows(id, clock.nowMs()))
		await mutate((tx) => insertAlerts(tx, rows))
	}
}

async function evaluate(context: AlertContext, job: RunningJob, row: AlertRow): Promise<void> {
	const reading = await judgeAlert(context, row)
	await job.commit(async (tx) => {
		const now = await findAlert(tx, row.workspace_id, row.id)
		// What was changed or judged in the meantime is judged again by what it is now.
		if (now?.updated_at === row.updated_at && now.evaluated_at === row.evaluated_at)
			await settle(tx, context, now, reading)
	})
}

/** One transaction: the state, its history, and what is notified of it. */
async function settle(
	tx: DatabaseTransaction,
	context: AlertContext,
	before: AlertRow,
	reading: Reading,
): Promise<void> {
	const nowMs = context.clock.nowMs()
	const standing = nextStanding(standingOf(before), reading.status, before.for_s * 1000, nowMs)
	const word = wordNow(before, standing, reading, nowMs)
	const row = {
		...before,
		...stateAfter(before, standing, reading, nowMs),
		...notifiedAfter(before, word, reading),
	}
	if (word !== null || standing.status !== before.status) {
		const transitionId = newId(nowMs)
		await insertTransition(tx, {
			id: transitionId,
			workspace_id: row.workspace_id,
			alert_id: row.id,
			at: nowMs,
			from_status: before.status,
			to_status: row.status,
			value: row.value,
			reason: row.reason,
			notified_status: word,
		})
		if (word !== null) row.mail = await tell(tx, context, row, word, transitionId)
	}
	await updateAlert(tx, row.workspace_id, row.id, row)
}

function standingOf(row: AlertRow): Standing {
	return {
		status: row.status as AlertStatus,
		sinceMs: row.status_since,
		pending: row.pending as AlertStatus | null,
		pendingSinceMs: row.pending_since,
	}
}

function wordNow(row: AlertRow, standing: Standing, { subjects }: Reading, nowMs: number): Word | null {
	if (row.muted_until !== null && row.muted_until > nowMs) return null
	const before = {
		notified: row.notified_status as Word,
		subjects: JSON.parse(row.notified_subjects) as string[],
	}
	return wordFor(standing, before, subjects)
}

function stateAfter(
	row: AlertRow,
	standing: Standing,
	{ value, text, path }: Reading,
	nowMs: number,
): Partial<AlertRow> {
	return {
		status: standing.status,
		status_since: standing.sinceMs,
		pending: standing.pending,
		pending_since: standing.pendingSinceMs,
		value,
		reason: text,
		path,
		evaluated_at: nowMs,
		due_at: nowMs + row.interval_s * 1000,
	}
}

/** What is over is forgotten, so that it is notified again when it comes again. */
function notifiedAfter(row: AlertRow, word: Word | null, { status, subjects }: Reading): Partial<AlertRow> {
	const notified = JSON.parse(row.notified_subjects) as string[]
	if (word === 'firing') return { notified_status: word, notified_subjects: JSON.stringify(subjects) }
	if (word === 'resolved') return { notified_status: word, notified_subjects: '[]' }
	if (status !== 'firing') return {}
	return { notified_subjects: JSON.stringify(notified.filter((subject) => subjects.includes(subject))) }
}

/** What is the case now. What cannot be judged is `unknown`, never well. */
export async function judgeAlert(context: AlertContext, row: AlertRow): Promise<Reading> {
	const watch = watchOf(row)
	const { kind } = watch
	try {
		return await (kind === 'question' ? readQuestion(context, watch) : readBuiltIn[kind](context, watch))
	} catch (error) {
		const isStore = error instanceof Problem || error instanceof StoreUnavailable
		if (!isStore) context.log.error({ err: error, alert: row.id }, 'alerts: one cannot be judged')
		const text = isStore ? error.message : 'It cannot be judged; the log of the program says why.'
		return { status: 'unknown', value: null, text, path: row.path, subjects: [] }
	}
}
