import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Dispatcher } from 'undici'
import { atIntervals } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { SchemeDispatcher } from '../../platform/undici.ts'
import { type HostedServer, type ProgramRequest, type ProgramState, serveExchange } from './hosted-server.ts'
import { installPackage } from './install/install-package.ts'
import { openPlace, ProgramPool } from './program-pool.ts'
import {
	defaultProgramLimits,
	type InstalledPackage,
	type ProgramLimits,
	type ProgramSpec,
} from './program-spec.ts'
import { type LogLine, LogRing } from './running-program.ts'
import { bubblewrap, findOnPath, type SandboxDriver } from './sandbox/sandbox.ts'

export { InstallFailure } from './install/install-package.ts'
export type { InstalledPackage, ProgramSpec } from './program-spec.ts'

/** The URL of a server's program, valid only inside this process: users cannot register URLs with this scheme. */
export function programUrl(serverId: string): string {
	return `program://${serverId}/`
}

/** Sends requests for `program://…` to programs, and all others to `next`. */
export function createProgramDispatcher(
	programs: Pick<Programs, 'exchange'>,
	next: Dispatcher,
	isProbe = false,
): Dispatcher {
	return new ProgramDispatcher(programs, next, isProbe)
}

class ProgramDispatcher extends SchemeDispatcher {
	readonly #programs: Pick<Programs, 'exchange'>
	readonly #isProbe: boolean

	constructor(programs: Pick<Programs, 'exchange'>, next: Dispatcher, isProbe: boolean) {
		super('program://', next)
		this.#programs = programs
		this.#isProbe = isProbe
	}

	protected override carry(
		serverId: string,
		options: Dispatcher.DispatchOptions,
		handler: Dispatcher.DispatchHandler,
	): void {
		const request = {
			method: options.method,
			headers: headersOf(options.headers),
			body: typeof options.body === 'string' ? options.body : '',
			idleMs: options.headersTimeout ?? 0,
			isProbe: this.#isProbe,
		}
		this.#programs.exchange(serverId, request, handler)
	}
}

function headersOf(headers: Dispatcher.DispatchOptions['headers']): Record<string, string> {
	const given = headers as Record<string, unknown> | null | undefined
	const byName: Record<string, string> = {}
	for (const name in given) byName[name.toLowerCase()] = String(given[name])
	return byName
}

export interface ProgramsOptions {
	/** Contains a folder for each program, and lies in the data directory. */
	directory: string
	clock: { nowMs(): number }
	log: Log
	/** The current program of a server; null if it should not run. Throws a `Problem` with the reason if it may not. */
	specOf(serverId: string): ProgramSpec | null
	/** Connects under the instance's address rules. */
	connect(host: string, port: number): Promise<Socket>
	/** Folders that every program may read. */
	readable: readonly string[]
	/** Environment variables of ours that npm needs to reach its registry. */
	installEnv?: Readonly<Record<string, string>>
	limits?: Partial<ProgramLimits>
	/** Overrides the detected sandbox; null: none. */
	sandbox?: SandboxDriver | null
}

interface ProgramStatus {
	state: ProgramState
	processes: { pid: number | null; started_at_ms: number; sessions: number; shared: boolean }[]
	starts: number
	failures: number
	last_end: string | null
	next_start_ms: number | null
}

/** The programs of MCP servers on this machine. */
export interface Programs {
	/** One exchange with a server's program, in the semantics of streamable HTTP. */
	exchange(serverId: string, request: ProgramRequest, handler: Dispatcher.DispatchHandler): void
	statusOf(serverId: string): ProgramStatus
	logsOf(serverId: string, count: number): LogLine[]
	readonly limits: ProgramLimits
	/** Folders that every program may read. */
	readonly readable: readonly string[]
	/** The kind of sandbox on this machine, or the reason why there is none. */
	sandbox(): { kind: SandboxDriver['kind']; reason: string }
	/** The folder of a server's program. */
	folderOf(serverId: string): string
	/** Ends the program and downloads its package again; rejects with an `InstallFailure`. */
	install(
		serverId: string,
		wanted: { name: string; range: string },
		signal: AbortSignal,
	): Promise<InstalledPackage>
	/** Ends the program of a server; `erase` also deletes its files. */
	stop(serverId: string, options?: { erase?: boolean }): Promise<void>
	/** Ends the programs of servers that were deleted, and deletes their files, in the background. */
	eraseDeleted(exists: (serverId: string) => boolean): void
	close(): Promise<void>
}

const sweepMs = 1000
const neverRan: ProgramStatus = {
	...{ state: 'stopped', processes: [], starts: 0, failures: 0 },
	...{ last_end: null, next_start_ms: null },
}

export function openPrograms(options: ProgramsOptions): Programs {
	const { directory, log, connect, readable } = options
	const limits = { ...defaultProgramLimits, ...options.limits }
	const nowMs = () => options.clock.nowMs()
	const sandbox = sandboxOf(options)
	const scratch = new ScratchFolder()
	const logs = new Map<string, LogRing>()
	const logOf = (serverId: string) => {
		const ring = logs.get(serverId) ?? new LogRing([])
		logs.set(serverId, ring)
		return ring
	}
	/** Servers that existed and may have files. Other folders are left alone: they may belong to a store that was exchanged. */
	const seen = new Set<string>()
	const folderOf = (serverId: string) => {
		seen.add(serverId)
		return join(directory, serverId)
	}
	const hasRoom = () => held.count() < limits.programs
	const dataDirectory = dirname(directory)
	const shared = { limits, nowMs, hasRoom, connect, readable, dataDirectory }
	const held = new ProgramPool({
		specOf: options.specOf,
		open: (spec) => {
			const own = { spec, folder: folderOf(spec.serverId), log: logOf(spec.serverId) }
			return openPlace({ ...shared, ...own, sandbox: sandbox(), scratch: scratch.path() })
		},
		memoryBytes: limits.memoryBytes,
	})
	const failed = (error: unknown) => log.error({ err: error }, 'programs: housekeeping failed')
	const stop = async (serverId: string, { erase = false } = {}) => {
		await held.release(serverId)
		if (!erase) return
		logs.delete(serverId)
		rmSync(folderOf(serverId), { recursive: true, force: true })
	}
	const stopSweeping = atIntervals(sweepMs, () => void held.sweep().catch(failed))

	return {
		exchange: (serverId, request, handler) => {
			const serve = (server: HostedServer) => serveExchange(server, request, handler)
			const refuse = (error: Error) => handler.onResponseError?.(noController, error)
			try {
				const open = held.openServer(serverId)
				if (open) serve(open)
				else held.serverFor(serverId).then(serve, refuse)
			} catch (error) {
				refuse(error as Error)
			}
		},
		statusOf: (serverId) => presentServer(held.get(serverId)),
		limits,
		readable,
		logsOf: (serverId, lines) => logs.get(serverId)?.last(lines) ?? [],
		sandbox: () => ({ kind: sandbox().driver?.kind ?? 'none', reason: sandbox().reason }),
		folderOf,
		install: async (serverId, wanted, signal) => {
			await held.release(serverId)
			const env = options.installEnv ?? {}
			return installPackage(join(folderOf(serverId), 'package'), wanted, { signal, env })
		},
		stop,
		eraseDeleted: (exists) => {
			const folders = existsSync(directory) ? readdirSync(directory) : []
			for (const serverId of folders.filter(exists)) seen.add(serverId)
			for (const serverId of [...seen].filter((id) => !exists(id))) {
				void stop(serverId, { erase: true }).then(() => seen.delete(serverId), failed)
			}
		},
		close: async () => {
			stopSweeping()
			await held.close()
			scratch.remove()
		},
	}
}

/** Detected once, when it is first needed. */
function sandboxOf({ sandbox }: ProgramsOptions): () => ReturnType<typeof findSandbox> {
	let found: ReturnType<typeof findSandbox> | null = null
	return () => {
		if (sandbox !== undefined) return { driver: sandbox, reason: sandbox ? '' : 'switched off' }
		found ??= findSandbox()
		return found
	}
}

/** Holds sockets and similar files of running programs; created when one is started. */
class ScratchFolder {
	#path: string | null = null

	path(): string {
		this.#path ??= mkdtempSync(join(tmpdir(), 'sb-programs-'))
		return this.#path
	}

	remove(): void {
		if (this.#path) rmSync(this.#path, { recursive: true, force: true })
	}
}

/** For an exchange that was refused before it began. */
const noController = {
	...{ aborted: true, paused: false, reason: null },
	abort: () => {},
	pause: () => {},
	resume: () => {},
}

function presentProcess({
	process,
	startedAtMs,
	sessions,
	isShared,
}: HostedServer['running'] extends Set<infer T> ? T : never) {
	return { pid: process.pid ?? null, started_at_ms: startedAtMs, sessions: sessions.size, shared: isShared }
}

function presentServer(server: HostedServer | undefined): ProgramStatus {
	return server ? { ...server.state, processes: [...server.running].map(presentProcess) } : neverRan
}

/**
 * The best sandbox that works on this machine, or null and the reason. It is tried out once, when first needed, because some
 * systems forbid user namespaces.
 */
export function findSandbox(): { driver: SandboxDriver | null; reason: string } {
	const missing = ['bwrap', 'prlimit', ...(process.getuid?.() === 0 ? ['setpriv'] : [])].filter(
		(name) => findOnPath(name) === null,
	)
	if (missing.length > 0) return { driver: null, reason: `not installed: ${missing.join(', ')}` }
	const bwrap = findOnPath('bwrap') as string
	const probe = [
		'--ro-bind',
		'/',
		'/',
		'--proc',
		'/proc',
		'--unshare-all',
		'--unshare-user',
		'--disable-userns',
	]
	const { status, stderr } = spawnSync(bwrap, [...probe, '--', '/bin/true'], { timeout: 5000, env: {} })
	if (status === 0) return { driver: bubblewrap(bwrap), reason: '' }
	return { driver: null, reason: `bubblewrap does not work here: ${String(stderr).trim().slice(0, 200)}` }
}
