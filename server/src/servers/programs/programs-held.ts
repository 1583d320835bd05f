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
 * A shell that becomes the program and leaves one small reader behind: when the pipe on descriptor 3 closes, because we
 * ended or were killed, the reader kills the whole process group.
 */
const guarded = '( ( read -r _ <&3; kill -9 0 ) </dev/null >/dev/null 2>&1 & ); exec "$@" 3<&-'

/** No sandbox: the program may do what our own user may. Only for those whom an owner accepted in writing. */
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

/** What a place is made from. */
interface PlaceOptions {
	spec: ProgramSpec
	/** The server's own folder, which stays. */
	folder: string
	/** Folders of places are made in here, and go with them. */
	scratch: string
	sandbox: { driver: SandboxDriver | null; reason: string }
	log: LogRing
	limits: ProgramLimits
	readable: readonly string[]
	nowMs(): number
	hasRoom(): boolean
	connect(host: string, port: number): Promise<Socket>
}

/** Where the processes of one server run: its sandbox, its home, its way out. */
interface Place {
	server: HostedServer
	/** Equal to that of its server, and the object that was found to be so last. */
	spec: ProgramSpec
	release(): Promise<void>
}

/** Throws a `Problem` when the program may not run here. */
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
	const proxy = egressSocket ? await openWayOut(egressSocket, options) : null
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

function openWayOut(socket: string, { spec, connect, log, nowMs }: PlaceOptions) {
	return openEgressProxy(socket, {
		allowedHosts: () => spec.allowedHosts,
		connect,
		onRefused: (target) => log.add(nowMs(), 'signalbox', `Refused a connection to ${target}.`),
	})
}

function commandOf(
	{ spec, folder, limits, readable }: PlaceOptions,
	driver: SandboxDriver,
	paths: { home: string; egressSocket: string | null; runDir: string },
): Command {
	const packageDir = spec.package ? join(folder, 'package') : null
	const { memoryBytes, processes } = limits
	const { env, serverId } = spec
	const program = programOf(spec, driver, packageDir)
	return driver.wrap({ ...program, ...paths, env, readable, packageDir, memoryBytes, processes, serverId })
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

/** The command, or the script of the package in its place. */
function programOf(
	{ command, args, package: installed }: ProgramSpec,
	driver: SandboxDriver,
	packageDir: string | null,
) {
	if (!installed || !packageDir) return { file: command, args }
	return { file: 'node', args: [join(driver.packagePath(packageDir), installed.script), ...args] }
}

const pageBytes = 4096

/** Resident memory of processes with all their descendants, in bytes; empty where there is no /proc. */
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

/** So many are read in one turn of the event loop, which takes a fraction of a millisecond; in the thread pool it takes three times as much. */
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

/** The name in the second field may hold spaces and brackets, so fields are counted from its end. */
function readProcess(pid: number): ProcessFigures | null {
	const text = statOf(pid)
	const [, parent, pages] = fieldsOfStat.exec(text.slice(text.lastIndexOf(')') + 2)) ?? []
	return pages === undefined ? null : { pid, parent: Number(parent), bytes: Number(pages) * pageBytes }
}

/** Empty for one that has ended. */
function statOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/stat`, 'latin1')
	} catch {
		return ''
	}
}

interface HeldOptions {
	/** What a server's program is now; null when it is not to run. Throws a `Problem` that says why it may not. */
	specOf(serverId: string): ProgramSpec | null
	open(spec: ProgramSpec): Promise<Place>
	memoryBytes: number
}

/** The places that are open, one for each server whose program is in use. */
export class ProgramsHeld {
	readonly #options: HeldOptions
	readonly #places = new Map<string, Place>()
	/** Starting is shared by those who come at once. */
	readonly #opening = new Map<string, Promise<Place>>()

	constructor(options: HeldOptions) {
		this.#options = options
	}

	get(serverId: string): HostedServer | undefined {
		return this.#places.get(serverId)?.server
	}

	/** How many processes run. */
	count(): number {
		return [...this.#places.values()].reduce((sum, { server }) => sum + server.running.size, 0)
	}

	/** The server as it is configured now, if it is open as such. Throws as `specOf`. */
	openServer(serverId: string): HostedServer | null {
		const place = this.#places.get(serverId)
		const spec = place && this.#options.specOf(serverId)
		if (!place || !spec) return null
		// The same object again and again, until the server's row changes.
		if (place.spec !== spec) {
			if (!isDeepStrictEqual(place.spec, spec)) return null
			place.spec = spec
		}
		return place.server
	}

	/** The server as it is configured now; one that was configured otherwise is ended. */
	async serverFor(serverId: string): Promise<HostedServer> {
		const spec = this.#options.specOf(serverId)
		if (!spec) throw new Problem('upstream_unreachable', 'The program is switched off.')
		const open = this.openServer(serverId)
		if (open) return open
		if (this.get(serverId)) await this.letGo(serverId)
		const opening = this.#opening.get(serverId) ?? this.#open(spec)
		return (await opening).server
	}

	/** Ends the program of a server; to be called for one that is not open too. */
	async letGo(serverId: string): Promise<void> {
		await this.#opening.get(serverId)?.catch(() => {})
		const place = this.#places.get(serverId)
		this.#places.delete(serverId)
		await place?.release()
	}

	/** Ends what is no longer wanted, idle, or larger than it may be. */
	async sweep(): Promise<void> {
		for (const [serverId, { server }] of this.#places) {
			if (!this.#isWanted(server.spec)) await this.letGo(serverId)
			else server.reap()
		}
		await this.#endLargeOnes()
	}

	async close(): Promise<void> {
		await Promise.all([...this.#places.keys(), ...this.#opening.keys()].map((id) => this.letGo(id)))
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
