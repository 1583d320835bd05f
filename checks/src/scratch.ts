import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
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
		// A killed test of a full disk leaves that disk mounted, and a mount point cannot be removed.
		for (const disk of mountedIn(path)) execFileSync('umount', ['--lazy', disk])
		// Engines of test processes that have just ended may still be writing.
		rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
	} catch (error) {
		// What cannot be removed must not hide the result of the run.
		console.error(`${path} is left: ${(error as Error).message}`)
	}
}

/** The mount points in a directory, the innermost first. Empty on systems without `/proc`. */
function mountedIn(path: string): string[] {
	let mounts: string
	try {
		mounts = readFileSync('/proc/self/mounts', 'utf8')
	} catch {
		return []
	}
	const points = mounts.split('\n').map((line) => line.split(' ')[1] ?? '')
	return points.filter((point) => point.startsWith(`${path}/`)).reverse()
}

function hasRoom(): boolean {
	try {
		const { bavail, bsize } = statfsSync(inMemory)
		return bavail * bsize >= enoughBytes
	} catch {
		return false
	}
}
