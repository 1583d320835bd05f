import path from 'node:path'
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import {
	loadFiles,
	manifestPath,
	quarantineDirectory,
	replaceFile,
	segmentPath,
	syncDirectory,
	writeAll,
} from './log-files.ts'
import {
	type FlushRequest,
	FlushSignal,
	type FromThread,
	type Job,
	type Submission,
	type ThreadData,
	type ToThread,
} from './log-thread.ts'
import { sealRecords } from './segment-format.ts'

// The thread that flushes the log, and writes all of it except the small runs that the recording thread puts into a prepared
// segment. Its file calls are synchronous, so a busy thread pool cannot delay a flush. It sleeps on a word of shared memory and not
// in an event loop, which makes waking it cheap for both threads. A second such thread extends the prepared part.

const { directory, signalMemory } = workerData as ThreadData
const files = await loadFiles(workerData as ThreadData)
const port = parentPort
if (!port) throw new Error('The log thread must be started as a worker')
const signal = new FlushSignal(signalMemory)

let segmentFd: number | null = null
/** Abandoned but still open: the recording thread may write to it until it has learned of the failure. */
let failedFd: number | null = null
let manifestFd: number | null = null
let failedEpoch = -1
let epoch = 0
/** End of what this thread has prepared. */
let preparedEnd = 0
/** End of what this thread wrote into the segment. Preparation must not overwrite it. */
let writtenEnd = 0
const zeros = Buffer.alloc(64 * 1024)

for (let seen = 0, open = true; open; ) {
	seen = signal.sleep(seen)
	open = takeTurn(port)
}

/** Handles everything that arrived since the last turn; false when that was the order to stop. */
function takeTurn(from: MessagePort): boolean {
	const ask = signal.takeAsk()
	const group: ToThread[] = []
	for (let next = receiveMessageOnPort(from); next; next = receiveMessageOnPort(from))
		group.push(next.message as ToThread)
	for (const message of group) if (message.type === 'abandon') abandon(message.epoch)
	commit(
		group.filter((message) => message.type === 'submission'),
		ask,
	)
	for (const message of group) if (message.type === 'job') runJob(message.id, message.job)
	return !group.some((message) => message.type === 'job' && message.job.name === 'close')
}

function send(message: FromThread): void {
	port?.postMessage(message)
}

/** Group commit: everything that arrived while the last flush ran is written and shares one flush. */
function commit(group: Submission[], ask: FlushRequest | null): void {
	const submissions = group.filter((submission) => submission.epoch > failedEpoch)
	const asked = ask && ask.epoch > failedEpoch ? ask : null
	const last = submissions.at(-1)
	epoch = last?.epoch ?? asked?.epoch ?? epoch
	try {
		for (const submission of submissions) writeSubmission(submission)
		if (last && submissions.some((submission) => submission.wantsWritten))
			send({ type: 'written', seq: last.seq })
		if (asked || submissions.some((submission) => submission.flush)) flushSegment(last, asked)
		// Preparing comes after the flush, because callers wait for the flush.
		if (last?.prepareTo) prepare(last)
	} catch (error) {
		failSegment(error)
	}
}

function writeSubmission(submission: Submission): void {
	if (submission.open) openSegment(submission.open)
	if (segmentFd === null) throw new Error('No segment is open')
	const run = Buffer.from(submission.run.buffer, submission.run.byteOffset, submission.run.length)
	sealRecords(run)
	writeAll(files, segmentFd, run, submission.at)
	writtenEnd = submission.at + run.length
}

function openSegment({ number, header, lastEndsAt }: NonNullable<Submission['open']>): void {
	if (lastEndsAt !== null) trimSegment(lastEndsAt)
	preparedEnd = 0
	closeSegment()
	segmentFd = files.openSync(segmentPath(directory, number), 'wx', 0o600)
	writeAll(files, segmentFd, header)
	files.fsyncSync(segmentFd)
	syncDirectory(files, directory)
}

function trimSegment(end: number): void {
	if (segmentFd !== null) files.ftruncateSync(segmentFd, end)
}

function closeSegment(): void {
	closeQuietly(failedFd)
	failedFd = null
	if (segmentFd === null) return
	files.fdatasyncSync(segmentFd)
	files.closeSync(segmentFd)
	segmentFd = null
}

function flushSegment(last: Submission | undefined, asked: FlushRequest | null): void {
	const startedAt = performance.now()
	if (segmentFd !== null) files.fdatasyncSync(segmentFd)
	const flushMs = performance.now() - startedAt
	if (asked) signal.answer(asked, flushMs)
	if (last) send({ type: 'flushed', seq: last.seq, flushMs })
}

/** Writes real zeros, so that later writes and flushes change no metadata of the file. */
function prepare({ seq, number, prepareTo }: Submission): void {
	if (segmentFd === null) return
	const from = Math.max(preparedEnd, writtenEnd)
	if (prepareTo > from) {
		if (!fillWithZeros(segmentFd, from, prepareTo)) return
		files.fdatasyncSync(segmentFd)
		preparedEnd = prepareTo
	}
	send({ type: 'prepared', seq, number, fd: segmentFd, end: preparedEnd })
}

/** False when there was no space; nothing relies on it. */
function fillWithZeros(fd: number, from: number, to: number): boolean {
	const pieces: Buffer[] = []
	for (let at = from; at < to; at += zeros.length) pieces.push(zeros.subarray(0, to - at))
	try {
		return files.writevSync(fd, pieces, from) === to - from
	} catch {
		return false
	}
}

/** After a failed write or flush the file's content beyond the last good flush is unknown, so it is never written again. */
function failSegment(error: unknown): void {
	abandon(epoch)
	send({ type: 'failed', epoch, message: describe(error) })
}

function abandon(abandonedEpoch: number): void {
	failedEpoch = abandonedEpoch
	if (segmentFd === null) return
	closeQuietly(failedFd)
	failedFd = segmentFd
	segmentFd = null
}

function closeQuietly(fd: number | null): void {
	try {
		if (fd !== null) files.closeSync(fd)
	} catch {
		// The descriptor is abandoned in either case.
	}
}

function runJob(id: number, job: Job): void {
	try {
		doJob(job)
		send({ type: 'job-done', id, error: null })
	} catch (error) {
		send({ type: 'job-done', id, error: describe(error) })
	}
	if (job.name === 'close') port?.close()
}

function doJob(job: Job): void {
	if (job.name === 'append-manifest') appendManifest(job.bytes, job.flush)
	else if (job.name === 'replace-manifest') replaceManifest(job.bytes)
	else if (job.name === 'remove-segments') removeSegments(job.numbers)
	else if (job.name === 'quarantine') writeQuarantine(job.file, job.bytes)
	else if (job.name === 'quarantine-segment') quarantineSegment(job.number)
	else if (job.name === 'sync-segment') syncSegment(job.number)
	else if (job.name === 'trim-segment') trimSegment(job.end)
	else if (job.name === 'extend-segment') extendSegment(job.number, job.from, job.to)
	else if (job.name === 'measure-space') measureSpace()
	else closeAll()
}

function appendManifest(bytes: Uint8Array, flush: boolean): void {
	if (manifestFd === null) throw new Error('The manifest is not open')
	try {
		writeAll(files, manifestFd, bytes)
		if (flush) files.fdatasyncSync(manifestFd)
	} catch (error) {
		closeQuietly(manifestFd)
		manifestFd = null
		throw error
	}
}

function replaceManifest(bytes: Uint8Array): void {
	closeQuietly(manifestFd)
	manifestFd = null
	replaceFile(files, manifestPath(directory), bytes)
	manifestFd = files.openSync(manifestPath(directory), 'a', 0o600)
}

function removeSegments(numbers: number[]): void {
	const removed = numbers.filter((number) => unlinkIfThere(segmentPath(directory, number)))
	if (removed.length > 0) syncDirectory(files, directory)
}

function unlinkIfThere(file: string): boolean {
	try {
		files.unlinkSync(file)
		return true
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
		throw error
	}
}

/** An empty file is deleted. */
function writeQuarantine(file: string, bytes: Uint8Array): void {
	const aside = quarantineDirectory(directory)
	if (bytes.length > 0) replaceFile(files, path.join(aside, file), bytes)
	else {
		unlinkIfThere(path.join(aside, file))
		syncDirectory(files, aside)
	}
}

function quarantineSegment(number: number): void {
	const source = segmentPath(directory, number)
	files.renameSync(source, path.join(quarantineDirectory(directory), path.basename(source)))
	syncDirectory(files, quarantineDirectory(directory))
	syncDirectory(files, directory)
}

function syncSegment(number: number): void {
	const fd = files.openSync(segmentPath(directory, number), 'r+')
	try {
		files.fdatasyncSync(fd)
	} finally {
		files.closeSync(fd)
	}
}

/** Runs in a second thread of this kind while the first one flushes. */
function extendSegment(number: number, from: number, to: number): void {
	const fd = files.openSync(segmentPath(directory, number), 'r+')
	try {
		if (!fillWithZeros(fd, from, to)) throw new Error('The disk is full')
		files.fdatasyncSync(fd)
	} finally {
		files.closeSync(fd)
	}
}

/** What is written to a deleted file is lost: the log must go on in other files. */
function leaveDeletedFiles(): void {
	const isDeleted = (fd: number | null) => fd !== null && files.fstatSync(fd).nlink === 0
	if (isDeleted(segmentFd)) failSegment(new Error('Its file was deleted while the program ran'))
	if (!isDeleted(manifestFd)) return
	closeQuietly(manifestFd)
	manifestFd = null
}

function measureSpace(): void {
	leaveDeletedFiles()
	const { bavail, bsize } = files.statfsSync(directory)
	send({ type: 'space', freeBytes: bavail * bsize })
}

function closeAll(): void {
	closeSegment()
	if (manifestFd === null) return
	files.fdatasyncSync(manifestFd)
	files.closeSync(manifestFd)
	manifestFd = null
}

function describe(error: unknown): string {
	return error instanceof Error ? error.message : String(error)
}
