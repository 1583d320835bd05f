import type { Clock } from '../../platform/clock.ts'
import { type Processes, processGone } from '../../platform/processes/processes.ts'
import type { LogRecorder, LogSubject, Recorder, RecorderStats } from './recorder.ts'

const askShed = 'recorder.shed'
/** The engine normally takes the content of a log within a second or so. What is not stored by then is tried again later. */
const waitMs = 5000

interface ShedDependencies {
	recorder: Pick<LogRecorder, 'shedSubject'>
	feed: { catchUp(): Promise<void> }
	processes: Processes
}

/**
 * `LogRecorder.shedSubject` for the logs of all processes (`count` in all), after each has seen every earlier change. Rejects with
 * Problem `store_unavailable` while one of them does not answer.
 */
export function openShedOfAll(
	{ recorder, feed, processes }: ShedDependencies,
	count: number,
): (subject: LogSubject) => Promise<boolean> {
	const shed = async (subject: LogSubject) => {
		await feed.catchUp()
		return recorder.shedSubject(subject, waitMs)
	}
	processes.answer(askShed, shed)
	return async (subject) => {
		const others = processes.others()
		if (others.length < count - 1) throw processGone()
		const asked = others.map((number) => processes.ask<boolean>(number, askShed, subject))
		return (await Promise.all([shed(subject), ...asked])).every((isGone) => isGone)
	}
}

const askStats = 'recorder.stats'

/**
 * The combined stats of the logs of all processes (`count` in all). Rejects with Problem `store_unavailable` while one of them does
 * not answer, because the content of its log is then unknown.
 */
export function openStatsOfAll(
	recorder: Pick<Recorder, 'stats'>,
	processes: Processes,
	count: number,
): () => Promise<RecorderStats> {
	processes.answer(askStats, () => recorder.stats())
	return async () => {
		const others = processes.others()
		if (others.length < count - 1) throw processGone()
		const asked = others.map((number) => processes.ask<RecorderStats>(number, askStats))
		return [recorder.stats(), ...(await Promise.all(asked))].reduce(addUp)
	}
}

/** Whether everything recorded before a time (ms since 1970) is in the store. */
export async function isShipped(
	recorder: { stats(): RecorderStats | Promise<RecorderStats> },
	clock: Clock,
	atMs: number,
): Promise<boolean> {
	const { pendingRows, oldestPendingMs } = await recorder.stats()
	return pendingRows === 0 || clock.nowMs() - oldestPendingMs > atMs
}

function addUp(a: RecorderStats, b: RecorderStats): RecorderStats {
	return {
		acknowledgedRows: a.acknowledgedRows + b.acknowledgedRows,
		storedRows: a.storedRows + b.storedRows,
		pendingRows: a.pendingRows + b.pendingRows,
		quarantinedRows: a.quarantinedRows + b.quarantinedRows,
		damagedRecords: a.damagedRecords + b.damagedRecords,
		damagedRows: a.damagedRows + b.damagedRows,
		openCalls: a.openCalls + b.openCalls,
		walBytes: a.walBytes + b.walBytes,
		walMaxBytes: a.walMaxBytes + b.walMaxBytes,
		oldestPendingMs: Math.max(a.oldestPendingMs, b.oldestPendingMs),
		lastFlushMs: Math.max(a.lastFlushMs, b.lastFlushMs),
		writeFailure: a.writeFailure ?? b.writeFailure,
		refusal: a.refusal ?? b.refusal,
		shipFailure: a.shipFailure ?? b.shipFailure,
	}
}
