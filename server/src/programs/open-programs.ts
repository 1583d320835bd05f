import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Dispatcher } from 'undici'
import { Problem } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { openEgressProxy } from './egress/egress-proxy.ts'
import { HostedServer, type ProgramState } from './hosted-server.ts'
import { installPackage } from './install/install-package.ts'
import { type LogLine, LogRing } from './log-ring.ts'
import { memoryOfTrees } from './process-table.ts'
import {
	defaultProgramLimits,
	type InstalledPackage,
	type ProgramLimits,
	type ProgramSpec,
} from './program-spec.ts'
import type { Command, SandboxDriver } from './sandbox/driver.ts'
import { findSandbox } from './sandbox/find-sandbox.ts'
import { withoutSandbox } from './sandbox/without-sandbox.ts'
import { type ProgramRequest, serveExchange } from './serve-exchange.ts'

export interface ProgramsOptions {
	/** Each program has a folder of its own in here. */
	directory: string
	clock: { nowMs(): number }
	log: Log
	/** What a server's program is now; null when it is not to run. Throws a `Problem` that says why it may not. */
	specOf(serverId: string): ProgramSpec | null
	/** Connects by the address rules of the instance. */
	connect(host: string, port: number): Promise<Socket>
	/** Folders that every program may read. */
	readable: readonly string[]
	/** What npm needs of our own environment to reach its registry. */
	installEnv?: Readonly<Record<string, string>>
	limits?: Partial<ProgramLimits>
	/** In place of the sandbox that is found here; null: none. */
	sandbox?: SandboxDriver | null
}

export interface ProgramStatus {
	state: ProgramState
	processes: { pid: number | null; started_at_ms: number; sessions: number; shared: boolean }[]
	starts: number
	failures: number
	last_end: string | null
	next_start_ms: number | null
}

/** The programs that run for MCP servers, on this machine. */
export interface Programs {
	/** One exchange with a server's program, as streamable HTTP would have it. */
	exchange(serverId: string, request: ProgramRequest, handler: Dispatcher.DispatchHandler): void
	statusOf(serverId: string): ProgramStatus
	logsOf(serverId: string, count: number): LogLine[]
	readonly limits: ProgramLimits
	/** The kind of sandbox here, or why there is none. */
	sandbox(): { kind: SandboxDriver['kind']; reason: string }
	/** The folder of a server's program. */
	folderOf(serverId: string): string
	/** Ends the program and downloads its package anew; rejects with an `InstallFailure`. */
	install(
		serverId: string,
		wanted: { name: string; range: string },
		signal: AbortSignal,
	): Promise<InstalledPackage>
	/** Ends the program of a server; with `erase` also its files go. */
	stop(serverId: string, options?: { erase?: boolean }): Promise<void>
	close(): Promise<void>
}

const sweepMs = 1000
const neverRan: ProgramStatus = {
	...{ state: 'stopped', processes: [], starts: 0, failures: 0 },
	...{ last_end: null, next_start_ms: null },
}

interface Held {
	server: HostedServer
	release(): Promise<void>
}

export function openPrograms(options: ProgramsOptions): Programs {
	const limits = { ...defaultProgramLimits, ...options.limits }
	const { specOf, directory } = options
	const nowMs = () => options.clock.nowMs()
	const held = new Map<string, Held>()
	const logs = new Map<string, LogRing>()
	const logOf = (serverId: string) => {
		const log = logs.get(serverId) ?? new LogRing([])
		logs.set(serverId, log)
		return log
	}
	let found: ReturnType<typeof findSandbox> | null = null
	const sandbox = () => {
		if (options.sandbox !== undefined)
			return { driver: options.sandbox, reason: options.sandbox ? '' : 'switched off' }
		found ??= findSandbox()
		return found
	}
	const folderOf = (serverId: string) => join(directory, serverId)
	const count = () => [...held.values()].reduce((sum, { server }) => sum + server.running.size, 0)
	let scratch: string | null = null
	const scratchFolder = () => {
		scratch ??= mkdtempSync(join(tmpdir(), 'sb-programs-'))
		return scratch
	}

	const hold = async (spec: ProgramSpec): Promise<Held> => {
		const runDir = mkdtempSync(join(scratchFolder(), 'p-'))
		const home = join(folderOf(spec.serverId), 'home')
		mkdirSync(join(home, 'tmp'), { recursive: true, mode: 0o700 })
		const driver = chooseDriver(spec, sandbox())
		const egressSocket =
			driver.kind === 'none' || spec.allowedHosts.length === 0 ? null : join(runDir, 'egress.sock')
		const server: HostedServer = new HostedServer({
			...{ spec, log: logOf(spec.serverId), limits, nowMs, hasRoom: () => count() < limits.programs },
			command: (): Command => {
				const packageDir = spec.package ? join(folderOf(spec.serverId), 'package') : null
				return driver.wrap({
					...programOf(spec, driver, packageDir),
					...{ env: spec.env, home, readable: options.readable, packageDir, egressSocket, runDir },
					...{ memoryBytes: limits.memoryBytes, processes: limits.processes, serverId: spec.serverId },
				})
			},
		})
		const proxy = egressSocket
			? await openEgressProxy(egressSocket, {
					allowedHosts: () => spec.allowedHosts,
					connect: options.connect,
					onRefused: (target) => server.log.add(nowMs(), 'signalbox', `Refused a connection to ${target}.`),
				})
			: null
		return {
			server,
			release: async () => {
				await server.close('was stopped')
				await proxy?.close()
				rmSync(runDir, { recursive: true, force: true })
			},
		}
	}

	/** Starting is shared by those who come at once. */
	const opening = new Map<string, Promise<Held>>()
	const letGo = async (serverId: string) => {
		await opening.get(serverId)?.catch(() => {})
		const one = held.get(serverId)
		held.delete(serverId)
		await one?.release()
	}
	const serverFor = async (serverId: string): Promise<HostedServer> => {
		const spec = specOf(serverId)
		if (!spec) throw new Problem('upstream_unreachable', 'The program is switched off.')
		const known = held.get(serverId)
		if (known && isDeepStrictEqual(known.server.spec, spec)) return known.server
		if (known) await letGo(serverId)
		const open =
			opening.get(serverId) ??
			hold(spec)
				.then((made) => {
					held.set(serverId, made)
					return made
				})
				.finally(() => opening.delete(serverId))
		opening.set(serverId, open)
		return (await open).server
	}

	const sweep = async () => {
		for (const [serverId, { server }] of held) {
			if (!isWanted(specOf, server.spec)) await letGo(serverId)
			else server.reap()
		}
		const running = [...held.values()].flatMap(({ server }) => [...server.running])
		const pids = running.flatMap(({ process }) => process.pid ?? [])
		const memory = pids.length > 0 ? await memoryOfTrees(pids) : new Map<number, number>()
		for (const { process } of running)
			if ((memory.get(process.pid ?? 0) ?? 0) > limits.memoryBytes)
				process.kill(`used more than ${limits.memoryBytes} bytes of memory`)
	}
	const sweeping = setInterval(
		() =>
			void sweep().catch((error: unknown) =>
				options.log.error({ err: error }, 'programs: housekeeping failed'),
			),
		sweepMs,
	).unref()

	return {
		exchange: (serverId, request, handler) => {
			serverFor(serverId).then(
				(server) => serveExchange(server, request, handler, nowMs),
				(error: Error) => handler.onResponseError?.(noController, error),
			)
		},
		statusOf: (serverId) => {
			const server = held.get(serverId)?.server
			return server ? { ...server.state, processes: [...server.running].map(presentProcess) } : neverRan
		},
		limits,
		logsOf: (serverId, lines) => logs.get(serverId)?.last(lines) ?? [],
		sandbox: () => ({ kind: sandbox().driver?.kind ?? 'none', reason: sandbox().reason }),
		folderOf,
		install: async (serverId, wanted, signal) => {
			await letGo(serverId)
			const env = options.installEnv ?? {}
			return installPackage(join(folderOf(serverId), 'package'), wanted, { signal, env })
		},
		stop: async (serverId, { erase = false } = {}) => {
			await letGo(serverId)
			if (!erase) return
			logs.delete(serverId)
			rmSync(folderOf(serverId), { recursive: true, force: true })
		},
		close: async () => {
			clearInterval(sweeping)
			await Promise.all([...held.keys(), ...opening.keys()].map(letGo))
			if (scratch) rmSync(scratch, { recursive: true, force: true })
		},
	}
}

/** A refused exchange never began. */
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

function isWanted(specOf: ProgramsOptions['specOf'], spec: ProgramSpec): boolean {
	try {
		return isDeepStrictEqual(specOf(spec.serverId), spec)
	} catch {
		return false
	}
}

function chooseDriver(
	{ acceptedWithoutSandbox }: ProgramSpec,
	{ driver, reason }: { driver: SandboxDriver | null; reason: string },
): SandboxDriver {
	if (driver) return driver
	if (acceptedWithoutSandbox) return withoutSandbox
	throw new Problem(
		'upstream_unreachable',
		`The program was not started: there is no sandbox here (${reason}), and no owner has accepted that it runs without one.`,
	)
}

/** The command, or the script of the package in its place. */
function programOf(
	{ command, args, package: installed }: ProgramSpec,
	driver: SandboxDriver,
	packageDir: string | null,
) {
	if (!installed || !packageDir) return { file: command, args }
	return { file: 'node', args: [join(driver.packagePath(packageDir), installed.script), ...args] }
}
