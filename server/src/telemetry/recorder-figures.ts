import type { Figure } from '../platform/health/index.ts'
import type { Recorder, RecorderStats } from './recorder/recorder.ts'

const figures: readonly [name: string, help: string, read: (stats: RecorderStats) => number][] = [
	['acknowledged_rows', 'Rows that were acknowledged', (stats) => stats.acknowledgedRows],
	['stored_rows', 'Acknowledged rows that are in the telemetry store', (stats) => stats.storedRows],
	['pending_rows', 'Acknowledged rows that are in the log alone', (stats) => stats.pendingRows],
	[
		'quarantined_rows',
		'Acknowledged rows that the store refused, quarantined',
		(stats) => stats.quarantinedRows,
	],
	['damaged_rows', 'Acknowledged rows in records that failed their checksum', (stats) => stats.damagedRows],
	['open_calls', 'Announced calls without an outcome', (stats) => stats.openCalls],
	['log_bytes', 'Size of the telemetry log', (stats) => stats.walBytes],
	['log_max_bytes', 'Largest size of the telemetry log', (stats) => stats.walMaxBytes],
	[
		'oldest_pending_seconds',
		'Age of the oldest row in the log alone',
		(stats) => stats.oldestPendingMs / 1000,
	],
	['last_flush_seconds', 'Duration of the last flush of the log', (stats) => stats.lastFlushMs / 1000],
]

/** What `/metrics` shows of the recorder. */
export function recorderFigures(recorder: Pick<Recorder, 'stats'>): Figure[] {
	return figures.map(([name, help, read]) => ({
		name: `signalbox_telemetry_${name}`,
		help,
		read: () => read(recorder.stats()),
	}))
}
