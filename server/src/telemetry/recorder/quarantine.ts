import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { quarantineDirectory } from './log-files.ts'
import type { LogReader } from './log-reader.ts'
import type { LogThread } from './log-thread.ts'
import type { BatchRequest } from './read-batch.ts'

/** Records that the telemetry store refuses, kept as they lie in the log. They count towards the log's bound until somebody removes them. */
export interface Quarantine {
	readonly bytes: number
	/** Keeps the records of a range, durably. */
	setAside(file: string, range: BatchRequest): Promise<void>
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
	}
}
