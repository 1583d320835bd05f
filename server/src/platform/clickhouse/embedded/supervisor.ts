import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import { memoryBytes } from '../../resources.ts'
import { backOffMs } from '../../retry.ts'
import { type ChildHandle, startChild, watchChild } from './child-process.ts'
import { type DirectoryLock, isSameProcess, lockDirectory, type ProcessIdentity } from './directory-lock.ts'

/** The kernel silently truncates a unix socket's path beyond 103 bytes (macOS) or 107 bytes (Linux). */
const maxPathBytes = 100

/** A path for a socket: in the data directory, or in a private temporary directory when that is too long. */
export function chooseSocketPath(directory: string, name: string): { path: string; remove(): void } {
	const path = join(directory, name)
	if (Buffer.byteLength(path) <= maxPathBytes) return { path, remove: () => rmSync(path, { force: true }) }
	const short = join(mkdtempSync(join(tmpdir(), 'signalbox-')), name)
	return { path: short, remove: () => rmSync(dirname(short), { recursive: true, force: true }) }
}

/** A read may use 2 GiB, but no more than a quarter of a small machine's memory, which inserts and other reads need, too. */
export const maxReadBytes = Math.min(2 ** 31, Math.floor(memoryBytes() / 4))
const ownEndMs = 3_000
const killEndMs = 5_000

/**
 * Ends the engine process of a dead parent. It exits by itself when its parent dies, so it gets a moment; then it is killed, which
 * loses nothing acknowledged.
 */
async function endStaleChild(child: ProcessIdentity): Promise<'none' | 'ended' | 'killed' | 'still there'> {
	if (!isSameProcess(child)) return 'none'
	if (await waitForEnd(child, ownEndMs)) return 'ended'
	kill(child.pid)
	return (await waitForEnd(child, killEndMs)) ? 'killed' : 'still there'
}

async function waitForEnd(child: ProcessIdentity, timeoutMs: number): Promise<boolean> {
	for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += 50) {
		if (!isSameProcess(child)) return true
		await sleep(50)
	}
	return false
}

function kill(pid: number): void {
	try {
		process.kill(pid, 'SIGKILL')
	} catch {
		// It has exited in the meantime.
	}
}

/** The embedded engine does not run on this machine. The message says what to do. */
export class EngineUnsupported extends Error {
	override name = 'EngineUnsupported'
}

/** Checks for the engine's library without loading it; only the child process loads it. */
export function requireSupportedPlatform(locate: () => unknown = locateLibrary): void {
	try {
		locate()
	} catch (cause) {
		throw new EngineUnsupported(
			`The embedded telemetry engine has no library for this machine (${process.platform}-${process.arch}; it exists for Linux with glibc and for macOS). Set CLICKHOUSE_URL to a ClickHouse server.`,
			{ cause },
		)
	}
}

function locateLibrary(): void {
	if (isMusl()) throw new Error('this system uses musl instead of glibc')
	const { libchdbPath } = createRequire(import.meta.url)('chdb/libchdb') as { libchdbPath(): string }
	libchdbPath()
}

function isMusl(): boolean {
	if (process.platform !== 'linux') return false
	const report = process.report as typeof process.report & { excludeNetwork: boolean }
	// Without this the report resolves the names of the peers of all open connections.
	report.excludeNetwork = true
	const { header } = report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
	return header.glibcVersionRuntime === undefined
}

export type EngineState = 'starting' | 'ready' | 'down'

interface SupervisorOptions {
	/** Contains the lock, the socket and, in `chdb/`, the engine's data. */
	dataDir: string
	/** Set if the caller holds the lock of the directory; the caller then releases it. */
	lock?: DirectoryLock | undefined
	log: Log
	readers?: number
	maxExecutionTimeS?: number
	maxMemoryBytes?: number
	/** A start that takes longer fails. Default two minutes, because a large store loads its parts first. */
	startTimeoutMs?: number
	/** How long the engine may leave the watchdog without an answer. Default ten seconds. */
	silenceMs?: number
}

export interface EngineSupervisor {
	socketPath: string
	/** The password of Basic authorization; it stays the same when the child restarts. */
	key: string
	state(): EngineState
	/** The pid of the child that starts for the first time or serves. */
	pid(): number | undefined
	/** Ends the child in order and releases the directory. */
	stop(): Promise<void>
}

const backOff = { firstMs: 100, maxMs: 3000 }
const lockWaitMs = 10_000
/** A child that ran this long resets the back-off. */
const steadyMs = 10_000

/** Starts the engine and keeps it running. Resolves when it answers; rejects when the first start fails. */
export async function superviseEngine(options: SupervisorOptions): Promise<EngineSupervisor> {
	requireSupportedPlatform()
	const dataDir = resolve(options.dataDir)
	const lock = options.lock ? { ...options.lock, release: () => undefined } : lockDirectory(dataDir)
	try {
		await endLeftOver(lock, options.log)
		const supervisor = new Supervisor(options, dataDir, lock)
		await supervisor.begin()
		return supervisor
	} catch (error) {
		lock.release()
		throw error
	}
}

async function endLeftOver(lock: DirectoryLock, log: Log): Promise<void> {
	const child = lock.previous?.child
	const outcome = child ? await endStaleChild(child) : 'none'
	if (outcome !== 'none')
		log.warn({ pid: child?.pid, outcome }, 'an engine process was left over from an earlier start')
}

function isLocked(error: unknown): boolean {
	return error instanceof Error && error.message.includes('Cannot lock file')
}

class Supervisor implements EngineSupervisor {
	readonly socketPath: string
	readonly key = randomBytes(32).toString('hex')
	readonly #options: SupervisorOptions
	readonly #dataDir: string
	readonly #lock: DirectoryLock
	readonly #removeSocket: () => void
	#state: EngineState = 'starting'
	#child: ChildHandle | undefined
	#failures = 0
	readonly #stopping = new AbortController()
	#restarting: Promise<void> = Promise.resolve()

	constructor(options: SupervisorOptions, dataDir: string, lock: DirectoryLock) {
		this.#options = options
		this.#dataDir = dataDir
		this.#lock = lock
		const socket = chooseSocketPath(dataDir, 'engine.sock')
		this.socketPath = socket.path
		this.#removeSocket = socket.remove
	}

	state(): EngineState {
		return this.#state
	}

	pid(): number | undefined {
		return this.#state === 'down' ? undefined : this.#child?.pid
	}

	/** The engine's own lock may be held a moment longer by a stale child, or by a child that was not recorded. */
	async begin(): Promise<void> {
		const endMs = performance.now() + lockWaitMs
		for (;;) {
			try {
				return await this.#start()
			} catch (error) {
				if (isLocked(error) && performance.now() < endMs) await sleep(250)
				else return this.#fail(error)
			}
		}
	}

	#fail(error: unknown): never {
		this.#removeSocket()
		throw error
	}

	async #start(): Promise<void> {
		const { readers = 4, maxExecutionTimeS = 30, maxMemoryBytes = maxReadBytes } = this.#options
		const child = startChild({
			directory: join(this.#dataDir, 'chdb'),
			socketPath: this.socketPath,
			key: this.key,
			readers,
			maxExecutionTimeS,
			maxMemoryBytes,
			maxResultBytes: 2 ** 28,
			startTimeoutMs: this.#options.startTimeoutMs ?? 120_000,
			log: this.#options.log,
		})
		this.#child = child
		this.#record(child)
		const version = await child.ready
		this.#state = 'ready'
		this.#options.log.info({ pid: child.pid, version }, 'telemetry engine is ready')
		this.#keep(child)
	}

	/** Only a later start reads it, so a full disk must not prevent the engine from starting. */
	#record(child: ChildHandle): void {
		try {
			this.#lock.recordChild(child.pid)
		} catch (err) {
			this.#options.log.warn({ err }, 'could not record the telemetry engine process')
		}
	}

	#keep(child: ChildHandle): void {
		const startedMs = performance.now()
		const { log, silenceMs = 10_000 } = this.#options
		const stopWatching = watchChild({ socketPath: this.socketPath, key: this.key, child, log, silenceMs })
		void child.ended.then((reason) => {
			stopWatching()
			if (this.#stopping.signal.aborted) return
			this.#state = 'down'
			this.#options.log.error({ pid: child.pid, reason }, 'telemetry engine ended unexpectedly')
			if (performance.now() - startedMs > steadyMs) this.#failures = 0
			this.#restarting = this.#restart()
		})
	}

	async #restart(): Promise<void> {
		while (!this.#stopping.signal.aborted) {
			await sleep(backOffMs(backOff, this.#failures++), undefined, { signal: this.#stopping.signal }).catch(
				() => undefined,
			)
			if (this.#stopping.signal.aborted) return
			try {
				return await this.#start()
			} catch (err) {
				this.#options.log.error({ err, failures: this.#failures }, 'telemetry engine could not be restarted')
			}
		}
	}

	async stop(): Promise<void> {
		this.#stopping.abort()
		this.#state = 'down'
		await this.#child?.stop()
		await this.#restarting
		await this.#child?.stop()
		this.#removeSocket()
		this.#lock.release()
	}
}
