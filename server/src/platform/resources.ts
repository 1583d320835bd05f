import { closeSync, openSync, readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { atIntervals } from './clock.ts'
import type { Log } from './log.ts'

/** The memory that this process and its children may use: the container's limit, or the machine's memory. */
export function memoryBytes(): number {
	const limit = process.constrainedMemory()
	// Outside of a container the limit is 0 or absurdly large.
	return limit > 0 && limit < totalmem() ? limit : totalmem()
}

/** Releases memory that only startup needed, in about 80 ms; V8 alone would keep it for hours. */
export function releaseMemory(): void {
	setFlagsFromString('--expose-gc')
	const collect = runInNewContext('gc') as NodeJS.GCFunction
	// Restores the flag, because cached compiled code is valid only for the flags it was compiled with.
	setFlagsFromString('--no-expose-gc')
	collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Each connection of an agent needs one open file, and often a second one to its server. With fewer, a busy day may use them up. */
export const leastOpenFiles = 4096
/** What an operator can do about it; start, log and doctor use this text. */
export const raisesOpenFiles =
	'allow 65536, for example with `ulimit -n 65536`, LimitNOFILE= of systemd or `ulimits` of Compose'

/** How many files and connections this process may have open; null: unlimited or unknown. Node raises it as far as it may. */
export function openFilesMax(): number | null {
	return limitNamed('Max open files')
}

function limitNamed(name: string): number | null {
	const [, soft] = new RegExp(`^${name} +(\\d+)`, 'm').exec(readText('/proc/self/limits')) ?? []
	return soft === undefined ? null : Number(soft)
}

function readText(path: string): string {
	try {
		return readFileSync(path, 'utf8')
	} catch {
		return ''
	}
}

const cgroupLimit = '/sys/fs/cgroup/pids.max'
const raisesThreads =
	'allow 1024, for example with `ulimit -u 1024`, TasksMax= of systemd or `pids_limit` of Compose'
/** The system counts threads as processes, of the user in all and of the container. */
const startsNoThread = /spawn \S+ EAGAIN|Resource temporarily unavailable|failed to start the thread/

/** For a failed start: says so if the system refuses further threads, with the remedy. */
export function explainFewThreads(reason: string): string | null {
	if (!startsNoThread.test(reason)) return null
	const limits = [limitNamed('Max processes') ?? Infinity, Number.parseInt(readText(cgroupLimit), 10)]
	const limit = Math.min(...limits.filter((each) => !Number.isNaN(each)))
	return `No more threads can be started (limit: ${limit}): ${raisesThreads}`
}

/**
 * Warns of a low limit of open files, and logs when they run out and when they are free again. The event loop accepts and closes
 * further connections then, and no event tells of it. Returns a function that stops it.
 */
export function watchOpenFiles(log: Log): () => void {
	const limit = openFilesMax()
	if (limit === null) return () => undefined
	if (limit < leastOpenFiles) log.warn({ limit }, `few files may be open at once: ${raisesOpenFiles}`)
	let isFull = false
	return atIntervals(1000, () => {
		const lowest = lowestFreeFile()
		if (!isFull && lowest === null)
			log.error({ limit }, `no more files can be opened, and new connections are closed: ${raisesOpenFiles}`)
		// Not at the first free one, because each is taken by the next connection.
		if (isFull && lowest !== null && lowest < limit * 0.95) log.info({ limit }, 'files can be opened again')
		isFull = lowest === null || (isFull && lowest >= limit * 0.95)
	})
}

/** The number that the next open file gets, in microseconds; null: there is none left. */
function lowestFreeFile(): number | null {
	try {
		const file = openSync('/dev/null', 'r')
		closeSync(file)
		return file
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException
		return code === 'EMFILE' || code === 'ENFILE' ? null : 0
	}
}
