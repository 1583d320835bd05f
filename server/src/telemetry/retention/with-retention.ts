import type { Recorder } from '../recorder/recorder.ts'
import type { SpanRow } from '../span-row.ts'
import type { RetentionView } from './retention-view.ts'

/** A recorder that keeps calls as long as their workspace keeps traces. */
export function withRetention(recorder: Recorder, retention: RetentionView): Recorder {
	const kept = (row: SpanRow): SpanRow => ({
		...row,
		retentionDays: retention.daysOf(row.workspaceId, 'traces'),
	})
	return {
		begin: (interrupted) => recorder.begin(kept(interrupted)),
		finish: (intent, outcome) => recorder.finish(intent, kept(outcome)),
		append: (rows) => recorder.append(rows),
		onRecorded: (listener) => recorder.onRecorded(listener),
		stats: () => recorder.stats(),
		snapshot: (work) => recorder.snapshot(work),
		close: (graceMs) => recorder.close(graceMs),
	}
}
