import { alone, type Processes } from '../../platform/processes/index.ts'
import { KeyClaims } from './key-claims.ts'
import type { EncodedRows, Recorder } from './recorder.ts'

/**
 * A recorder that asks the other processes of the program whether one of them has recorded the rows of a key: an exporter's
 * retry may come to any of them.
 */
export function withClaims(recorder: Recorder, processes: Processes, nowMs: () => number): Recorder {
	if (processes === alone) return recorder
	const running = new Map<string, Promise<boolean>>()
	const has = async (key: string) => {
		const recording = running.get(key)
		if (recording === undefined) return recorder.knows(key)
		return recording.then(
			() => true,
			() => false,
		)
	}
	const claims = new KeyClaims(processes, nowMs, has)
	claims.tell(recorder.recordedKeys())
	const record = async (rows: EncodedRows, key: string) =>
		(await claims.claim(key)) === 'yours' && (await recorder.append(rows))
	const once = (rows: EncodedRows, key: string) => {
		const before = running.get(key)
		if (before !== undefined) return before.then(() => false)
		const recording = record(rows, key).finally(() => running.delete(key))
		running.set(key, recording)
		return recording
	}
	return {
		begin: (interrupted) => recorder.begin(interrupted),
		finish: (intent, outcome) => recorder.finish(intent, outcome),
		append: (rows) =>
			rows.key === undefined || rows.count === 0 ? recorder.append(rows) : once(rows, rows.key),
		knows: (key) => recorder.knows(key),
		recordedKeys: () => recorder.recordedKeys(),
		onRecorded: (listener, wants) => recorder.onRecorded(listener, wants),
		stats: () => recorder.stats(),
		snapshot: (work) => recorder.snapshot(work),
		close: (graceMs) => recorder.close(graceMs),
	}
}
