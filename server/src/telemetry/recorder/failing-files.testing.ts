import fs from 'node:fs'
import path from 'node:path'
import type { FileCalls } from './log-files.ts'

/** A fault ordered by the file `fault.json` in the log's directory: calls of this name on files with this ending fail. */
export interface Fault {
	call: 'writeSync' | 'fdatasyncSync' | 'openSync' | 'statfsSync'
	ending: string
	/** `EXIT` ends the thread. */
	code: string
	/** Whether only the next call fails. */
	once: boolean
}

/** Real file calls that fail when the test orders it, in the log's thread and in the recording thread. */
export function createFiles(directory: string): FileCalls {
	const orderPath = path.join(directory, 'fault.json')

	function failIfOrdered(call: Fault['call'], file: string): void {
		if (!fs.existsSync(orderPath)) return
		const fault = JSON.parse(fs.readFileSync(orderPath, 'utf8')) as Fault
		if (fault.call !== call || !file.endsWith(fault.ending)) return
		if (fault.once) fs.unlinkSync(orderPath)
		if (fault.code === 'EXIT') process.exit()
		throw Object.assign(new Error(`${fault.code}: ordered by the test`), { code: fault.code })
	}

	return {
		...fs,
		openSync(file, flags, mode) {
			if (flags !== 'r') failIfOrdered('openSync', String(file))
			return fs.openSync(file, flags, mode)
		},
		writeSync: ((fd: number, bytes: Uint8Array, offset: number, length: number, at: number | null) => {
			failIfOrdered('writeSync', pathOf(fd))
			return fs.writeSync(fd, bytes, offset, length, at)
		}) as typeof fs.writeSync,
		fdatasyncSync(fd) {
			failIfOrdered('fdatasyncSync', pathOf(fd))
			fs.fdatasyncSync(fd)
		},
		statfsSync: ((file: fs.PathLike) => {
			const real = fs.statfsSync(file)
			try {
				failIfOrdered('statfsSync', '')
				return real
			} catch {
				return Object.assign(real, { bavail: 0 })
			}
		}) as typeof fs.statfsSync,
	}
}

/** A descriptor is open in all threads, but only one of them opened it and knows its path. */
function pathOf(fd: number): string {
	return fs.readlinkSync(`/proc/self/fd/${fd}`)
}
