import fs from 'node:fs'
import type { FileCalls } from './log-files.ts'
import type { LogPlace } from './thread-protocol.ts'

/** The file calls of a log: Node's own, or those of a test. */
export async function loadFiles({ directory, filesModule }: LogPlace): Promise<FileCalls> {
	if (!filesModule) return fs
	const module = (await import(filesModule)) as { createFiles(directory: string): FileCalls }
	return module.createFiles(directory)
}
