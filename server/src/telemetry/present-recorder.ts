import type { OutputOf, telemetryQueryOperations } from '@signalbox/contract'
import type { DataDisk } from '../platform/data-disk.ts'
import type { IngestState } from './ingest-figures.ts'
import type { RecorderStats } from './recorder/recorder.ts'

interface NodeState {
	stats: RecorderStats
	ingest: IngestState
	disk: Pick<DataDisk, 'freeBytes' | 'reserveBytes'> | null
	nodeUrl: string | null
}

/** What became of what was sent and acknowledged, as the API shows it. */
export function presentRecorder({
	stats,
	ingest,
	disk,
	nodeUrl,
}: NodeState): OutputOf<(typeof telemetryQueryOperations)['recorder']> {
	return {
		node_url: nodeUrl,
		acknowledged_rows: stats.acknowledgedRows,
		stored_rows: stats.storedRows,
		pending_rows: stats.pendingRows,
		quarantined_rows: stats.quarantinedRows,
		damaged_rows: stats.damagedRows,
		open_calls: stats.openCalls,
		log_bytes: stats.walBytes,
		log_max_bytes: stats.walMaxBytes,
		disk_free_bytes: disk?.freeBytes ?? null,
		disk_reserve_bytes: disk?.reserveBytes ?? null,
		oldest_pending_ms: stats.oldestPendingMs,
		last_flush_ms: stats.lastFlushMs,
		write_failure: stats.writeFailure ?? stats.refusal,
		ship_failure: stats.shipFailure,
		event_loop_stall_ms: ingest.stallMs,
		accepted: ingest.accepted,
		repeated: ingest.repeated,
		dropped: ingest.dropped,
		refused: ingest.refused,
	}
}
