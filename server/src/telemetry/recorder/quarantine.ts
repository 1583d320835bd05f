import { readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { quarantineDirectory, segmentNumber } from './log-files.ts'
import type { LogReader } from './log-reader.ts'
import { namesSubject } from './log-subject.ts'
import type { LogThread } from './log-thread.ts'
import type { BatchRequest } from './read-batch.ts'
import type { LogSubject } from './recorder.ts'
import { markerOf, scanRecords } from './segment-format.ts'

/**
 * Records that the telemetry store refuses, kept in the format of the log. They count towards the log's size limit until somebody
 * removes them.
 */
export interface Quarantine {
	readonly bytes: number
	/** Stores the records of a range durably. */
	setAside(file: string, range: BatchRequest): Promise<void>
	/** Removes the records that name a subject. An unreadable segment that contains the subject's bytes is removed as a whole. */
	removeSubject(subject: LogSubject): Promise<void>
}

export function createQuarantine(directory: string, thread: LogThread, reader: LogReader): Quarantine {
	const path = quarantineDirectory(directory)
	let bytes = readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0)
	return {
		get bytes() {
			return bytes
		},
		async setAside(file, range) {
			const records = await reader.readRecords(range)
			await thread.run({ name: 'quarantine', file, bytes: records })
			bytes += records.length
		},
		async removeSubject(subject) {
			for (const file of readdirSync(path)) {
				const before = await readFile(join(path, file))
				const left = withoutSubject(file, before, subject)
				if (left.length === before.length) continue
				await thread.run({ name: 'quarantine', file, bytes: left })
				bytes -= before.length - left.length
			}
		},
	}
}

function withoutSubject(file: string, bytes: Buffer, subject: LogSubject): Buffer {
	const isNamed = namesSubject(subject)
	if (!isNamed({ workspaceId: subject.workspaceId, bytes })) return bytes
	const left: Buffer[] = []
	// In an unreadable segment, records cannot be assigned to subjects.
	if (segmentNumber(file) === undefined)
		scanRecords(bytes, 0, bytes.length, markerOf(bytes), (record, start, end) => {
			if (!isNamed(record)) left.push(bytes.subarray(start, end))
		})
	return Buffer.concat(left)
}
