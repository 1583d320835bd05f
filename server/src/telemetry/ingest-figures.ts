import type { EventLoop, Figure } from '../platform/health/index.ts'
import { type Processes, processGone } from '../platform/processes/index.ts'
import { addIngest, type IngestCounts, type IngestFigures } from './otlp/ingest-counts.ts'
import { signalNames } from './otlp/signals.ts'

/** How a node takes in what is sent to it. */
export interface IngestState extends IngestFigures {
	/** The longest stall of an event loop in the last minutes. */
	stallMs: number
}

const askState = 'ingest.state'

/** That of all processes of a program. Rejects with Problem `store_unavailable` while one that was there does not answer. */
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

/** What `/metrics` shows of it, of this process. */
export function ingestFigures(counts: IngestCounts): readonly Figure[] {
	const ofSignals = (which: 'accepted' | 'repeated') => () =>
		signalNames.map((signal) => ({ labels: { signal }, value: counts.figures()[which][signal] }))
	return [
		{
			...{ name: 'signalbox_telemetry_accepted_items', labels: ['signal'] },
			...{ help: 'Spans, data points and log records that were recorded', read: ofSignals('accepted') },
		},
		{
			...{ name: 'signalbox_telemetry_repeated_items', labels: ['signal'] },
			...{ help: 'Items of bodies that were recorded before', read: ofSignals('repeated') },
		},
		{
			...{ name: 'signalbox_telemetry_dropped_items', labels: ['signal', 'reason'] },
			help: 'Items that cannot be kept, by why',
			read: () =>
				counts
					.figures()
					.dropped.map(({ signal, reason, items }) => ({ labels: { signal, reason }, value: items })),
		},
		{
			...{ name: 'signalbox_telemetry_refused_requests', labels: ['reason'] },
			help: 'Requests with telemetry that were refused whole, by why',
			read: () =>
				counts.figures().refused.map(({ reason, requests }) => ({ labels: { reason }, value: requests })),
		},
	]
}
