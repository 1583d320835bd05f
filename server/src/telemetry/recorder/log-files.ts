import fs, { existsSync, openSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { LogPlace } from './log-thread.ts'

/** The file calls of the log's thread. Tests replace them with failing ones. */
export type FileCalls = Pick<
	typeof fs,
	| 'openSync'
	| 'closeSync'
	| 'writeSync'
	| 'writevSync'
	| 'fdatasyncSync'
	| 'fsyncSync'
	| 'fstatSync'
	| 'ftruncateSync'
	| 'renameSync'
	| 'unlinkSync'
	| 'statfsSync'
>

/** The file calls of a log: Node's own, or those of a test. */
export async function loadFiles({ directory, filesModule }: LogPlace): Promise<FileCalls> {
	if (!filesModule) return fs
	const module = (await import(filesModule)) as { createFiles(directory: string): FileCalls }
	return module.createFiles(directory)
}

export function segmentPath(directory: string, number: number): string {
	return path.join(directory, `${String(number).padStart(16, '0')}.seg`)
}

/** The number in a segment's file name, or undefined for any other file. */
export function segmentNumber(fileName: string): number | undefined {
	const match = /^(\d{16})\.seg$/.exec(fileName)
	return match ? Number(match[1]) : undefined
}

/** The numbers of the segments in a directory, oldest first. */
export function listSegments(directory: string): number[] {
	const numbers = readdirSync(directory).map(segmentNumber)
	return numbers.filter((number) => number !== undefined).sort((a, b) => a - b)
}

export function manifestPath(directory: string): string {
	return path.join(directory, 'manifest.log')
}

/**
 * Opens a segment to read it; null when its file was deleted, so that nothing waits for it. Throws when the whole log is missing, as on
 * a disk that is not mounted, because that may come back.
 */
export function openToRead(directory: string, number: number): number | null {
	try {
		return openSync(segmentPath(directory, number), 'r')
	} catch (error) {
		const isDeleted =
			(error as NodeJS.ErrnoException).code === 'ENOENT' && existsSync(manifestPath(directory))
		if (isDeleted) return null
		throw error
	}
}

export function quarantineDirectory(directory: string): string {
	return path.join(directory, 'quarantine')
}

/**
 * Writes all of `bytes` at a position in the file, or at the current position when `at` is null. A short write means that the disk
 * is full or broken; the next call returns the reason.
 */
export function writeAll(files: FileCalls, fd: number, bytes: Uint8Array, at: number | null = null): void {
	for (let done = 0; done < bytes.length; ) {
		const place = at === null ? null : at + done
		done += files.writeSync(fd, bytes, done, bytes.length - done, place)
	}
}

/** Makes the creation, renaming or removal of files in a directory durable. */
export function syncDirectory(files: FileCalls, directory: string): void {
	const fd = files.openSync(directory, 'r')
	try {
		files.fsyncSync(fd)
	} finally {
		files.closeSync(fd)
	}
}

/** Replaces a file atomically: after a crash it has either the old or the new content. */
export function replaceFile(files: FileCalls, target: string, bytes: Uint8Array): void {
	const temporary = `${target}.new`
	const fd = files.openSync(temporary, 'w', 0o600)
	try {
		writeAll(files, fd, bytes)
		files.fdatasyncSync(fd)
	} finally {
		files.closeSync(fd)
	}
	files.renameSync(temporary, target)
	syncDirectory(files, path.dirname(target))
}
