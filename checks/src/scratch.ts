import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const inMemory = '/dev/shm'
const enoughBytes = 6 * 1024 ** 3

/**
 * The temporary directory of a run of tests: in memory where there is room. To a disk, thousands of flushes wait for it, and to make and remove a
 * file takes six times the processor time. What becomes of data when the power is cut or a disk is full is tried on disks of its own
 * (`loop-disk.ts`), and killed programs lose nothing that they have written, flushed or not.
 */
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
