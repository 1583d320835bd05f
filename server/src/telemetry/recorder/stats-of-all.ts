import type { Clock } from '../../platform/clock.ts'
import { type Processes, processGone } from '../../platform/processes/index.ts'
import type { Recorder, RecorderStats } from './recorder.ts'

const askStats = 'recorder.stats'

/**
 * What the logs of all processes hold together, `count` processes in all. Rejects with Problem `store_unavailable` while one of
 * them does not answer: nobody knows then what its log holds.
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

/** Whether all that was recorded before a time (ms since 1970) is in the store. */
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
