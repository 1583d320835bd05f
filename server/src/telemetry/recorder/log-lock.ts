import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Takes a log's directory for this process; returns the release. The lock is the kernel's (SQLite's file lock): it ends
 * with the process however that ends, and holds between containers that share a disk.
 */
export function lockLog(directory: string): () => void {
	const held = new DatabaseSync(join(directory, 'lock'), { timeout: 0 })
	try {
		held.exec('BEGIN EXCLUSIVE')
	} catch (error) {
		held.close()
		throw new Error(
			`The telemetry log ${directory} is in use by another process. Stop that one, or set another data directory.`,
			{ cause: error },
		)
	}
	return () => held.close()
}
