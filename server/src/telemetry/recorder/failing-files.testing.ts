import fs from 'node:fs'
import path from 'node:path'
import { workerData } from 'node:worker_threads'
import type { FileCalls } from './log-files.ts'

/** What the file `fault.json` in the log's directory orders: calls of this name on files with this ending fail. */
export interface Fault {
	call: 'writeSync' | 'fdatasyncSync' | 'openSync' | 'statfsSync'
	ending: string
	/** `EXIT`: the thread ends. */
	code: string
	/** Only the next call. */
	once: boolean
}

const orderPath = path.join((workerData as { directory: string }).directory, 'fault.json')
const paths = new Map<number, string>()

function failIfOrdered(call: Fault['call'], file: string): void {
	if (!fs.existsSync(orderPath)) return
	const fault = JSON.parse(fs.readFileSync(orderPath, 'utf8')) as Fault
	if (fault.call !== call || !file.endsWith(fault.ending)) return
	if (fault.once) fs.unlinkSync(orderPath)
	if (fault.code === 'EXIT') process.exit()
	throw Object.assign(new Error(`${fault.code}: ordered by the test`), { code: fault.code })
}

function openSync(file: fs.PathLike, flags: fs.OpenMode, mode?: fs.Mode | null): number {
	if (flags !== 'r') failIfOrdered('openSync', String(file))
	const fd = fs.openSync(file, flags, mode)
	paths.set(fd, String(file))
	return fd
}

function writeSync(fd: number, bytes: Uint8Array, offset: number, length: number): number {
	failIfOrdered('writeSync', paths.get(fd) ?? '')
	return fs.writeSync(fd, bytes, offset, length)
}

function statfsSync(file: fs.PathLike): fs.StatsFs {
	const real = fs.statfsSync(file)
	try {
		failIfOrdered('statfsSync', '')
		return real
	} catch {
		return Object.assign(real, { bavail: 0 })
	}
}

/** Real file calls that fail when the test orders it. */
export const files: FileCalls = {
	...fs,
	openSync,
	statfsSync: statfsSync as typeof fs.statfsSync,
	writeSync: writeSync as typeof fs.writeSync,
	fdatasyncSync(fd) {
		failIfOrdered('fdatasyncSync', paths.get(fd) ?? '')
		fs.fdatasyncSync(fd)
	},
}
