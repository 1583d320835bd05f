import type { SpanRow } from '../span-row.ts'
import type { Recorder } from './recorder.ts'

/** A recorder that changes the rows of calls before they are written, the announced ones too. */
export function mapCalls(recorder: Recorder, change: (row: SpanRow) => SpanRow): Recorder {
	return {
		begin: (interrupted) => recorder.begin(change(interrupted)),
		finish: (intent, outcome) => recorder.finish(intent, change(outcome)),
		append: (rows) => recorder.append(rows),
		knows: (key) => recorder.knows(key),
		recordedKeys: () => recorder.recordedKeys(),
		onRecorded: (listener, wants) => recorder.onRecorded(listener, wants),
		stats: () => recorder.stats(),
		hurry: () => recorder.hurry(),
		snapshot: (work) => recorder.snapshot(work),
		close: (graceMs) => recorder.close(graceMs),
	}
}
