import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { Problem } from '../../platform/errors.ts'
import { openEgressProxy } from './egress/egress-proxy.ts'
import { HostedServer } from './hosted-server.ts'
import type { LogRing } from './log-ring.ts'
import type { ProgramLimits, ProgramSpec } from './program-spec.ts'
import type { Command, Launch, SandboxDriver } from './sandbox/driver.ts'
import { systemPath } from './sandbox/find-on-path.ts'
import { limitCommand } from './sandbox/limit-command.ts'

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
export interface PlaceOptions {
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
export interface Place {
	server: HostedServer
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
