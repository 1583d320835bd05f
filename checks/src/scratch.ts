import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const inMemory = '/dev/shm'
const enoughBytes = 4 * 1024 ** 3

/** A directory for tests that need no disk of their own: in memory where there is room, since thousands of flushes wait for a disk. */
export function openScratch(): { path: string; end(): void } {
	const path = mkdtempSync(join(hasRoom() ? inMemory : tmpdir(), 'signalbox-scratch-'))
	// PostgreSQL, which does not run as root, has its directory in here.
	chmodSync(path, 0o711)
	// Engines of test processes that have just ended may still write.
	return { path, end: () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }) }
}

function hasRoom(): boolean {
	try {
		const { bavail, bsize } = statfsSync(inMemory)
		return bavail * bsize >= enoughBytes
	} catch {
		return false
	}
}
