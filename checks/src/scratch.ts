import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const inMemory = '/dev/shm'
const enoughBytes = 6 * 1024 ** 3
const name = 'signalbox-scratch-'

/**
 * The temporary directory of a test run: in memory if there is room. On a disk, thousands of flushes wait for it, and creating and
 * removing a file takes six times the processor time. The effects of power cuts and full disks are tested on separate disks
 * (`loop-disk.ts`), and killed programs lose nothing that they have written, flushed or not.
 */
export function openScratch(): { path: string; end(): void } {
	const parent = hasRoom() ? inMemory : tmpdir()
	removeLeft(parent)
	const path = mkdtempSync(join(parent, `${name}${process.pid}-`))
	// PostgreSQL, which does not run as root, has its directory in here.
	chmodSync(path, 0o711)
	return { path, end: () => remove(path) }
}

/** Removes directories of interrupted runs, which would otherwise keep occupying memory. */
function removeLeft(parent: string): void {
	for (const left of readdirSync(parent)) {
		const pid = Number(left.startsWith(name) && left.slice(name.length).split('-')[0])
		if (pid > 0 && !isRunning(pid)) remove(join(parent, left))
	}
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0)
		return true
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM'
	}
}

function remove(path: string): void {
	try {
		// Engines of test processes that have just ended may still be writing.
		rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
	} catch (error) {
		// A killed test may have left a mounted disk, which must not hide the result of the run.
		console.log(`${path} is left: ${(error as Error).message}`)
	}
}

function hasRoom(): boolean {
	try {
		const { bavail, bsize } = statfsSync(inMemory)
		return bavail * bsize >= enoughBytes
	} catch {
		return false
	}
}
