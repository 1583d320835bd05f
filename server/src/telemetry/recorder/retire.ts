import type { Log } from '../../platform/log.ts'
import { type LogEntry, type LogSegment, newLogEntry } from './log-entry.ts'
import type { LogThread } from './log-thread.ts'
import type { Manifest } from './manifest.ts'
import { callsIn, type OpenCall, type OpenCalls } from './open-calls.ts'
import type { RecordedKeys } from './recorded-keys.ts'
import type { RowMaking } from './row-making.ts'
import type { SegmentWriter } from './segment-writer.ts'

interface RetireOptions {
	segments: Map<number, LogSegment>
	manifest: Manifest
	thread: LogThread
	writer: SegmentWriter
	calls: OpenCalls
	keys: RecordedKeys
	rowMaking: Pick<RowMaking, 'needs'>
	log: Log
}

/**
 * Removes a segment whose rows are all settled. Open announcements and known keys are first copied to the current segment; then the
 * manifest notes that the segment is finished; only then the file is deleted.
 */
export function createRetire({
	segments,
	manifest,
	thread,
	writer,
	calls,
	keys,
	rowMaking,
	log,
}: RetireOptions): (segment: LogSegment) => Promise<boolean> {
	return async (segment) => {
		const { number } = segment.header
		const open = callsIn(calls, number)
		if (!open || writer.failure !== null || rowMaking.needs(number)) return false
		await Promise.all([...open.map((call) => carryCall(writer, call)), carryKeys(writer, keys, number)])
		await manifest.append([['retire', number, segment.rows, segment.damagedRecords]], true)
		segments.delete(number)
		await thread
			.run({ name: 'remove-segments', numbers: [number] })
			.catch((error) => log.warn({ err: error }, 'a settled log segment could not be removed'))
		return true
	}
}

function carryCall(writer: SegmentWriter, call: OpenCall): Promise<void> {
	return new Promise((resolve, reject) => {
		const entry: LogEntry = newLogEntry(call.record, {
			mustFlush: true,
			keep: false,
			onFlushed: ({ header }) => {
				call.segment = header.number
				call.at = entry.at ?? 0
				resolve()
			},
			onFailed: (reason) => reject(new Error(reason)),
		})
		writer.add(entry)
	})
}

function carryKeys(writer: SegmentWriter, keys: RecordedKeys, segment: number): Promise<void> {
	return new Promise((resolve, reject) => {
		const entry = keys.carryFrom(segment, resolve, reject)
		if (entry) writer.add(entry)
		else resolve()
	})
}
