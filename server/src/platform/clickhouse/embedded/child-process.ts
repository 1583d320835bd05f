import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { constants, rmSync } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import type { Agent } from 'node:http'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { compiledCodeEnvironment } from '../../compiled-code.ts'
import type { Log } from '../../log.ts'
import { http } from '../../node-http.ts'
import type { EngineOptions } from './engine.ts'

/** The first line that the parent writes to the child's standard input; the pipe then stays open. */
export interface ChildStart extends EngineOptions {
	socketPath: string
	/** The key of this start: 64 hex digits. */
	key: string
}

/** What the child writes to file descriptor 3, as JSON lines. */
export type ChildEvent = { event: 'ready'; version: string } | { event: 'failed'; message: string }

/** The Authorization header that carries the key. */
export function basicAuthorization(key: string): string {
	return `Basic ${Buffer.from(`default:${key}`).toString('base64')}`
}

/** Response header with the id of the engine's run, which changes with each restart. */
export const engineRunHeader = 'x-engine-run'
/** Request header with the total length of an insert's rows, which are sent in chunks. */
export const bodyBytesHeader = 'x-body-bytes'
/** Request header with the path of a file that holds the rows instead of the body. */
export const bodyFileHeader = 'x-body-file'

/** A smaller body fits into the socket's buffer before a file could be opened. */
const minBytes = 256 * 1024
/**
 * How long a file is reused, which is cheaper than a new one. The tail of an earlier, longer body stays in it, where no erasure
 * reaches it.
 */
const keptMs = 5_000

/** Absolute, since the engine's process has another working directory. */
const directoryIn = (dataDir: string) => join(resolve(dataDir), 'chdb', 'inserts')

/** Removes files left by a killed program. */
export function clearBodyFiles(dataDir: string): void {
	rmSync(directoryIn(dataDir), { recursive: true, force: true })
}

/**
 * Passes large bodies to the engine's process as files. Through the socket they would occupy the main threads of both processes, in
 * chunks of 64 KiB. Nothing needs the files after a crash, so they are never flushed.
 */
export class BodyFiles {
	readonly #directory: string
	/** Files that nobody reads. Their pages stay in the kernel's cache, and allocating new pages takes longer than filling them. */
	readonly #idle: string[] = []
	readonly #madeAtMs = new Map<string, number>()
	#removal: NodeJS.Timeout | undefined

	/** Several processes may write files for the same engine. */
	constructor(dataDir: string) {
		this.#directory = directoryIn(dataDir)
	}

	/**
	 * Writes the bytes to the beginning of a file and returns its path, to be given back or removed. Returns null if the body is
	 * small or the write fails; it is then sent through the socket.
	 */
	async write(bytes: Buffer): Promise<string | null> {
		if (bytes.length < minBytes) return null
		const path = this.#idle.pop() ?? this.#newPath()
		try {
			await mkdir(this.#directory, { recursive: true, mode: 0o700 })
			// The file is not truncated: the tail of a longer body stays.
			await withFile(path, constants.O_WRONLY | constants.O_CREAT, async (file) => {
				for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
			})
			return path
		} catch {
			await this.remove(path)
			return null
		}
	}

	/** Removes a file that the engine may still be reading, so it is never reused. If that fails, the next start removes it. */
	remove(path: string): Promise<void> {
		this.#madeAtMs.delete(path)
		return rm(path, { force: true }).catch(() => undefined)
	}

	/** Makes a file available for reuse: nobody reads it any more. */
	release(path: string): void {
		const ageMs = performance.now() - (this.#madeAtMs.get(path) ?? 0)
		if (ageMs >= keptMs) return void this.remove(path)
		this.#idle.push(path)
		this.#removal ??= setTimeout(() => void this.removeIdle(), keptMs).unref()
	}

	#newPath(): string {
		const path = join(this.#directory, randomUUID())
		this.#madeAtMs.set(path, performance.now())
		return path
	}

	async removeIdle(): Promise<void> {
		clearTimeout(this.#removal)
		this.#removal = undefined
		await Promise.all(this.#idle.splice(0).map((path) => this.remove(path)))
	}
}

/** Reads a file into `target` and returns the number of bytes read. */
export async function readBodyFile(path: string, target: Buffer): Promise<number> {
	let length = 0
	await withFile(path, constants.O_RDONLY, async (file) => {
		for (let read = -1; read !== 0 && length < target.length; length += read)
			read = (await file.read(target, length, target.length - length)).bytesRead
	})
	return length
}

async function withFile(
	path: string,
	flags: number,
	use: (file: FileHandle) => Promise<void>,
): Promise<void> {
	const file = await open(path, flags, 0o600)
	try {
		await use(file)
	} finally {
		await file.close()
	}
}

export interface ChildHandle {
	pid: number
	/** Resolves with the engine's version once it accepts requests; rejects with the reason when it cannot start. */
	ready: Promise<string>
	/** Resolves with a short reason when the process has exited. Never rejects. */
	ended: Promise<string>
	/** Ends the process: closes its standard input, and after a grace period kills it. */
	stop(): Promise<void>
	kill(): void
}

const programPath = fileURLToPath(new URL('./child.ts', import.meta.url))
const graceMs = 5_000
/** Output of a process may arrive after its exit event. */
const lateOutputMs = 50
/** Threads for the connections, the insert, the probe and file work: every native call occupies one. */
const threadsBesideReaders = 6
/**
 * The allocator returns unused memory to the kernel after 30 s instead of the default 5 s: a batch arrives every second or two, and
 * a fifth of an insert's time was spent on faulting in pages that had just been returned. Batches under heavy load have pieces over
 * 64 MiB, which by default would be returned at once.
 */
const allocatorSettings = 'dirty_decay_ms:30000,oversize_threshold:268435456'

export function startChild({
	startTimeoutMs,
	log,
	...start
}: ChildStart & { startTimeoutMs: number; log: Log }): ChildHandle {
	// Modules that a measurement preloads into the program are preloaded into the engine's process, too.
	const loaded = process.execArgv.filter((flag) => flag.startsWith('--import='))
	const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...loaded, programPath], {
		stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
		env: {
			...compiledCodeEnvironment(),
			PATH: '',
			TZ: 'UTC',
			HOME: start.directory,
			UV_THREADPOOL_SIZE: String(start.readers + threadsBesideReaders),
			JE_MALLOC_CONF: allocatorSettings,
		},
	})
	const ended = whenEnded(child)
	const lastText = passOnText(child, log)
	const ready = whenReady(child, ended, startTimeoutMs, lastText)
	// The key goes through the pipe, because other processes can read the environment and the arguments of a process.
	child.stdin?.on('error', () => undefined)
	child.stdin?.write(`${JSON.stringify(start)}\n`)
	return {
		pid: child.pid ?? -1,
		ready,
		ended,
		stop: () => stop(child, ended),
		kill: () => void child.kill('SIGKILL'),
	}
}

function whenEnded(child: ChildProcess): Promise<string> {
	return new Promise((resolve) => {
		child.on('error', (error) => {
			if (child.pid === undefined) resolve(error.message)
		})
		child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`))
	})
}

async function whenReady(
	child: ChildProcess,
	ended: Promise<string>,
	timeoutMs: number,
	lastText: () => string,
): Promise<string> {
	const status = createInterface({ input: child.stdio[3] as Readable })
	const answer = new Promise<ChildEvent>((resolve) => {
		status.once('line', (line) => resolve(JSON.parse(line) as ChildEvent))
		void ended.then((reason) => resolve({ event: 'failed', message: reason }))
	})
	const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
	const event = await answer.finally(() => clearTimeout(timer))
	if (event.event === 'ready') return event.version
	child.kill('SIGKILL')
	await ended
	await sleep(lateOutputMs)
	throw new Error(`The telemetry engine did not start: ${event.message} ${lastText()}`.trim())
}

/** Logs the process's own messages. The returned function gives the latest ones, which explain an immediate exit. */
function passOnText(child: ChildProcess, log: Log): () => string {
	const latest: string[] = []
	if (!child.stderr) return () => ''
	createInterface({ input: child.stderr }).on('line', (line) => {
		if (line.trim() === '') return
		log.warn({ engine: line.slice(0, 2_000) }, 'telemetry engine output')
		latest.push(line.slice(0, 300))
		if (latest.length > 5) latest.shift()
	})
	return () => latest.join(' ')
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
	child.stdin?.end()
	const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
	await ended
	clearTimeout(timer)
}

/** Intervals of the check, while the engine answers and after it stopped. On an idle machine the check is most of the load. */
const [calmMs, doubtMs] = [3_000, 1_000]

interface WatchOptions {
	socketPath: string
	key: string
	child: Pick<ChildHandle, 'pid' | 'kill'>
	log: Log
	/** The child is killed after this time without one successful check. */
	silenceMs: number
}

/**
 * Probes the engine on a separate connection, so that long queries do not matter, and kills the process when no probe succeeded for
 * `silenceMs`. Returns a function that stops the watchdog.
 */
export function watchChild(options: WatchOptions): () => void {
	const { silenceMs } = options
	const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
	let silentSinceMs: number | undefined
	let stopped = false
	let timer: NodeJS.Timeout

	async function checkEngine(): Promise<void> {
		const askedMs = performance.now()
		const alive = await isAlive(options, agent, silenceMs / 3)
		if (stopped) return
		// Counted from the first unanswered probe, so that a suspended machine does not look like an unresponsive engine.
		silentSinceMs = alive ? undefined : (silentSinceMs ?? askedMs)
		if (silentSinceMs !== undefined && performance.now() - silentSinceMs >= silenceMs) return giveUp()
		checkAgain(alive ? Math.min(calmMs, silenceMs / 3) : doubtMs)
	}

	function checkAgain(afterMs: number): void {
		timer = setTimeout(() => void checkEngine(), afterMs).unref()
	}

	function giveUp(): void {
		options.log.error({ pid: options.child.pid, silenceMs }, 'telemetry engine does not answer; killing it')
		options.child.kill()
	}

	checkAgain(doubtMs)
	return () => {
		stopped = true
		agent.destroy()
		clearTimeout(timer)
	}
}

function isAlive({ socketPath, key }: WatchOptions, agent: Agent, timeoutMs: number): Promise<boolean> {
	return new Promise((resolve) => {
		const probe = http.request({
			agent,
			socketPath,
			path: '/alive',
			headers: { authorization: basicAuthorization(key) },
		})
		probe.setTimeout(timeoutMs, () => probe.destroy(new Error('no answer')))
		probe.on('response', (response) => {
			response.resume()
			resolve(response.statusCode === 200)
		})
		probe.on('error', () => resolve(false))
		probe.end()
	})
}
