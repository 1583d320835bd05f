import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../../platform/errors.ts'
import { openEgressProxy } from './egress/egress-proxy.ts'
import { HostedServer } from './hosted-server.ts'
import type { ProgramLimits, ProgramSpec } from './program-spec.ts'
import type { LogRing } from './running-program.ts'
import { type Command, type Launch, limitCommand, type SandboxDriver, systemPath } from './sandbox/sandbox.ts'

/**
 * A shell that becomes the program and leaves a small watcher behind: when the pipe on descriptor 3 closes, because we ended or
 * were killed, the watcher kills the whole process group.
 */
const guarded = '( ( read -r _ <&3; kill -9 0 ) </dev/null >/dev/null 2>&1 & ); exec "$@" 3<&-'

/** No sandbox: the program has all rights of our own user. Only for programs that an owner has accepted in writing. */
const withoutSandbox: SandboxDriver = {
	kind: 'none',
	packagePath: (packageDir) => packageDir,
	wrap: ({ file, args, env, home, memoryBytes }: Launch) => ({
		file: '/bin/sh',
		args: ['-c', guarded, 'sh', ...limitCommand([file, ...args], { memoryBytes, processes: null })],
		env: {
			...env,
			PATH: [dirname(process.execPath), ...systemPath].join(':'),
			HOME: home,
			TMPDIR: join(home, 'tmp'),
			LANG: 'C.UTF-8',
		},
		cwd: home,
	}),
}

/** The parts from which a place is built. */
interface PlaceOptions {
	spec: ProgramSpec
	/** The server's own folder, which is permanent. */
	folder: string
	/** Folders of places are created here, and deleted with them. */
	scratch: string
	sandbox: { driver: SandboxDriver | null; reason: string }
	log: LogRing
	limits: ProgramLimits
	readable: readonly string[]
	dataDirectory: string
	nowMs(): number
	hasRoom(): boolean
	connect(host: string, port: number): Promise<Socket>
}

/** The environment of one server's processes: its sandbox, its home, its egress proxy. */
interface Place {
	server: HostedServer
	/** Equal to the server's current specification; it is the object that was last found equal. */
	spec: ProgramSpec
	release(): Promise<void>
}

/** Throws a `Problem` if the program may not run on this machine. */
export async function openPlace(options: PlaceOptions): Promise<Place> {
	const { spec, folder, log, limits, nowMs, hasRoom } = options
	const driver = chooseDriver(spec, options.sandbox)
	const runDir = mkdtempSync(join(options.scratch, 'p-'))
	const home = join(folder, 'home')
	mkdirSync(join(home, 'tmp'), { recursive: true, mode: 0o700 })
	const hasWayOut = driver.kind !== 'none' && spec.allowedHosts.length > 0
	const egressSocket = hasWayOut ? join(runDir, 'egress.sock') : null
	const command = () => commandOf(options, driver, { home, egressSocket, runDir })
	const server = new HostedServer({ spec, log, limits, nowMs, hasRoom, command })
	const proxy = egressSocket ? await openEgress(egressSocket, options) : null
	return {
		server,
		spec,
		release: async () => {
			await server.close('was stopped')
			await proxy?.close()
			rmSync(runDir, { recursive: true, force: true })
		},
	}
}

function openEgress(socket: string, { spec, connect, log, nowMs }: PlaceOptions) {
	return openEgressProxy(socket, {
		allowedHosts: () => spec.allowedHosts,
		connect,
		onRefused: (target) => log.add(nowMs(), 'signalbox', `Refused a connection to ${target}.`),
	})
}

function commandOf(
	{ spec, folder, limits, readable, dataDirectory }: PlaceOptions,
	driver: SandboxDriver,
	paths: { home: string; egressSocket: string | null; runDir: string },
): Command {
	const packageDir = spec.package ? join(folder, 'package') : null
	const { memoryBytes, processes } = limits
	const { env, serverId } = spec
	const program = programOf(spec, driver, packageDir)
	const visible = { readable, packageDir, dataDirectory }
	return driver.wrap({ ...program, ...paths, ...visible, env, memoryBytes, processes, serverId })
}

function chooseDriver(
	{ accepted }: ProgramSpec,
	{ driver, reason }: { driver: SandboxDriver | null; reason: string },
): SandboxDriver {
	if (driver && accepted !== null) return driver
	if (accepted === 'without a sandbox') return withoutSandbox
	throw new Problem(
		'upstream_unreachable',
		driver
			? 'The program was not started: nobody has accepted it as it is now (POST …/program/acceptance, or Isolation on its page).'
			: `The program was not started: there is no sandbox here (${reason}), and no owner has accepted that it runs without one as it is now.`,
	)
}

/** The command, or instead of it the script of the package. */
function programOf(
	{ command, args, package: installed }: ProgramSpec,
	driver: SandboxDriver,
	packageDir: string | null,
) {
	if (!installed || !packageDir) return { file: command, args }
	return { file: 'node', args: [join(driver.packagePath(packageDir), installed.script), ...args] }
}

const pageBytes = 4096

/** Resident memory in bytes of processes including all their descendants; empty without /proc. */
async function memoryOfTrees(roots: readonly number[]): Promise<Map<number, number>> {
	const processes = await readProcesses()
	const children = Map.groupBy(processes.values(), ({ parent }) => parent)
	const sizeOf = (pid: number): number =>
		(children.get(pid) ?? []).reduce((sum, child) => sum + sizeOf(child.pid), processes.get(pid)?.bytes ?? 0)
	return new Map(roots.filter((pid) => processes.has(pid)).map((pid) => [pid, sizeOf(pid)]))
}

interface ProcessFigures {
	pid: number
	parent: number
	bytes: number
}

/**
 * Number of processes read per turn of the event loop, which takes a fraction of a millisecond; the thread pool would take three
 * times as long.
 */
const processesInTurn = 8

async function readProcesses(): Promise<Map<number, ProcessFigures>> {
	const names = await readdir('/proc').catch(() => [])
	const read = new Map<number, ProcessFigures>()
	let inTurn = 0
	for (const name of names) {
		if (!/^\d+$/.test(name)) continue
		if (++inTurn % processesInTurn === 0) await setImmediate()
		const figures = readProcess(Number(name))
		if (figures) read.set(figures.pid, figures)
	}
	return read
}

/** The parent and the resident pages, after the name. */
const fieldsOfStat = /^\S+ (\d+)(?: \S+){19} (\d+)/

/** The name in the second field may contain spaces and parentheses, so fields are counted from its end. */
function readProcess(pid: number): ProcessFigures | null {
	const text = statOf(pid)
	const [, parent, pages] = fieldsOfStat.exec(text.slice(text.lastIndexOf(')') + 2)) ?? []
	return pages === undefined ? null : { pid, parent: Number(parent), bytes: Number(pages) * pageBytes }
}

/** Empty for a process that has ended. */
function statOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/stat`, 'latin1')
	} catch {
		return ''
	}
}

interface HeldOptions {
	/** The current program of a server; null if it should not run. Throws a `Problem` with the reason if it may not. */
	specOf(serverId: string): ProgramSpec | null
	open(spec: ProgramSpec): Promise<Place>
	memoryBytes: number
}

/** The open places, one for each server whose program is in use. */
export class ProgramPool {
	readonly #options: HeldOptions
	readonly #places = new Map<string, Place>()
	/** Concurrent requests share one start. */
	readonly #opening = new Map<string, Promise<Place>>()
	readonly #releasing = new Map<string, Promise<void>>()

	constructor(options: HeldOptions) {
		this.#options = options
	}

	get(serverId: string): HostedServer | undefined {
		return this.#places.get(serverId)?.server
	}

	/** Number of running processes. */
	count(): number {
		return [...this.#places.values()].reduce((sum, { server }) => sum + server.running.size, 0)
	}

	/** The server if it is open with its current configuration, otherwise null. Throws like `specOf`. */
	openServer(serverId: string): HostedServer | null {
		const place = this.#places.get(serverId)
		const spec = place && this.#options.specOf(serverId)
		if (!place || !spec || this.#releasing.has(serverId)) return null
		// `specOf` returns the same object until the server's row changes.
		if (place.spec !== spec) {
			if (!isDeepStrictEqual(place.spec, spec)) return null
			place.spec = spec
		}
		return place.server
	}

	/** The server with its current configuration; one with an outdated configuration is ended first. */
	async serverFor(serverId: string): Promise<HostedServer> {
		const spec = this.#options.specOf(serverId)
		if (!spec) throw new Problem('upstream_unreachable', 'The program is switched off.')
		const open = this.openServer(serverId)
		if (open) return open
		if (this.get(serverId)) {
			await this.release(serverId)
			return this.serverFor(serverId)
		}
		const place = await (this.#opening.get(serverId) ?? this.#open(spec))
		// It may have been changed or switched off while it was opened, perhaps for an earlier request.
		return this.#isWanted(place.spec) ? place.server : this.serverFor(serverId)
	}

	/**
	 * Ends the program of a server, also one that is still starting; does nothing if there is none. Until it has ended it keeps its
	 * place, so that no other is started beside it.
	 */
	async release(serverId: string): Promise<void> {
		await this.#opening.get(serverId)?.catch(() => {})
		const place = this.#places.get(serverId)
		if (!place) return
		const releasing =
			this.#releasing.get(serverId) ??
			place.release().finally(() => {
				this.#places.delete(serverId)
				this.#releasing.delete(serverId)
			})
		this.#releasing.set(serverId, releasing)
		await releasing
	}

	/** Ends programs that are no longer wanted, idle, or over the memory limit. */
	async sweep(): Promise<void> {
		await this.#endLargeOnes()
		for (const [serverId, { server }] of this.#places) {
			if (!this.#isWanted(server.spec)) await this.release(serverId)
			else server.reap()
		}
	}

	async close(): Promise<void> {
		await Promise.all([...this.#places.keys(), ...this.#opening.keys()].map((id) => this.release(id)))
	}

	#open(spec: ProgramSpec): Promise<Place> {
		const { serverId } = spec
		const opening = this.#options
			.open(spec)
			.then((place) => {
				this.#places.set(serverId, place)
				return place
			})
			.finally(() => this.#opening.delete(serverId))
		this.#opening.set(serverId, opening)
		return opening
	}

	#isWanted(spec: ProgramSpec): boolean {
		try {
			return isDeepStrictEqual(this.#options.specOf(spec.serverId), spec)
		} catch {
			return false
		}
	}

	async #endLargeOnes(): Promise<void> {
		const { memoryBytes } = this.#options
		const running = [...this.#places.values()].flatMap(({ server }) => [...server.running])
		const pids = running.flatMap(({ process }) => process.pid ?? [])
		if (pids.length === 0) return
		const memory = await memoryOfTrees(pids)
		for (const { process } of running)
			if ((memory.get(process.pid ?? 0) ?? 0) > memoryBytes)
				process.kill(`used more than ${memoryBytes} bytes of memory`)
	}
}
