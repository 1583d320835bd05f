import type { OutputOf, telemetryQueryOperations } from '@signalbox/contract'
import type { DataDisk } from '../platform/data-disk.ts'
import type { EventLoop } from '../platform/health/event-loop.ts'
import type { Figure } from '../platform/health/metrics.ts'
import { type Processes, processGone } from '../platform/processes/processes.ts'
import { addIngest, type IngestCounts, type IngestFigures } from './otlp/ingest-counts.ts'
import { signalNames } from './otlp/signals.ts'
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

/** The recorder's metrics for `/metrics`. */
export function recorderFigures(recorder: Pick<Recorder, 'stats'>): Figure[] {
	return figures.map(([name, help, read]) => ({
		name: `signalbox_telemetry_${name}`,
		help,
		read: () => read(recorder.stats()),
	}))
}

/** The state of a node's ingestion. */
interface IngestState extends IngestFigures {
	/** The longest stall of an event loop in the last minutes. */
	stallMs: number
}

const askState = 'ingest.state'

/** The combined state of all processes of a program. Rejects with Problem `store_unavailable` while a known process does not answer. */
export function openIngestState(
	{ counts, eventLoop }: { counts: IngestCounts; eventLoop: Pick<EventLoop, 'recentMs'> },
	processes: Processes,
): () => Promise<IngestState> {
	const own = (): IngestState => ({ ...counts.figures(), stallMs: eventLoop.recentMs() })
	processes.answer(askState, own)
	return async () => {
		const asked = processes.others().map((number) => processes.ask<IngestState>(number, askState))
		return (await Promise.all(asked).catch(gone)).reduce(addUp, own())
	}
}

function gone(): never {
	throw processGone()
}

function addUp(a: IngestState, b: IngestState): IngestState {
	return { ...addIngest(a, b), stallMs: Math.max(a.stallMs, b.stallMs) }
}

/** The ingest metrics of this process for `/metrics`. */
export function ingestFigures(counts: IngestCounts): readonly Figure[] {
	const ofSignals = (which: 'accepted' | 'repeated') => () =>
		signalNames.map((signal) => ({ labels: { signal }, value: counts.figures()[which][signal] }))
	return [
		{
			...{ name: 'signalbox_telemetry_accepted_items', labels: ['signal'], grows: true },
			...{ help: 'Spans, data points and log records that were recorded', read: ofSignals('accepted') },
		},
		{
			...{ name: 'signalbox_telemetry_repeated_items', labels: ['signal'], grows: true },
			...{ help: 'Items of bodies that were recorded before', read: ofSignals('repeated') },
		},
		{
			...{ name: 'signalbox_telemetry_dropped_items', labels: ['signal', 'reason'], grows: true },
			help: 'Items that cannot be kept, by why',
			read: () =>
				counts
					.figures()
					.dropped.map(({ signal, reason, items }) => ({ labels: { signal, reason }, value: items })),
		},
		{
			...{ name: 'signalbox_telemetry_refused_requests', labels: ['reason'], grows: true },
			help: 'Requests with telemetry that were refused whole, by why',
			read: () =>
				counts.figures().refused.map(({ reason, requests }) => ({ labels: { reason }, value: requests })),
		},
	]
}

interface NodeState {
	stats: RecorderStats
	ingest: IngestState
	disk: Pick<DataDisk, 'freeBytes' | 'reserveBytes'> | null
	nodeUrl: string | null
}

/** What became of acknowledged rows, as the API shows it. */
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
