import { createHash } from 'node:crypto'
import { accessSync, chownSync, constants, existsSync, lstatSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const connector = join(import.meta.dirname, '../egress/connector.mjs')
/** Paths inside the sandbox. */
const inside = {
	home: '/home/program',
	package: '/opt/program',
	tools: '/run/signalbox',
	socket: '/run/signalbox/egress.sock',
}
const temporaryBytes = 256 * 1024 * 1024
/** Of the system only what programs are loaded from; nothing else of /etc. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const systemFiles = [
	'/etc/ssl',
	'/etc/ca-certificates',
	'/etc/pki',
	'/etc/alternatives',
	'/etc/ld.so.cache',
	'/etc/localtime',
]

/** Starts programs in bubblewrap: namespaces of their own, a root made of a few read-only folders, no network. */
export function bubblewrap(bwrap: string): SandboxDriver {
	return {
		kind: 'bubblewrap',
		packagePath: () => inside.package,
		wrap: (launch) => ({
			file: bwrap,
			args: [...namespaces, ...rootOf(launch), ...entryOf(bwrap, launch)],
			env: {},
			cwd: '/',
			input: variables(launch),
		}),
	}
}

const namespaces = [
	'--unshare-pid',
	'--unshare-net',
	'--unshare-ipc',
	'--unshare-uts',
	'--unshare-cgroup-try',
	'--hostname',
	'program',
	'--die-with-parent',
	'--new-session',
]

function rootOf(launch: Launch): string[] {
	const uid = uidOf(launch.serverId)
	// The folder itself only: what lies in it is the program's, which could lay a link there.
	if (uid !== null) chownSync(launch.home, uid, uid)
	return [
		...systemFolders.flatMap(bindSystem),
		...['--proc', '/proc', '--dev', '/dev'],
		// Before the folders that are bound: one of them may lie in it.
		...['--size', String(temporaryBytes), '--perms', '1777', '--tmpfs', '/tmp'],
		...openFolders(['/etc/x', '/home/x', '/opt/x', inside.socket, ...launch.readable]),
		...systemFiles.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', path, path]),
		...identityFiles(launch, uid ?? process.getuid?.() ?? 0),
		...['--bind', launch.home, inside.home],
		...launch.readable.flatMap((path) => ['--ro-bind-try', path, path]),
		...(launch.packageDir === null ? [] : ['--ro-bind', launch.packageDir, inside.package]),
		...['--ro-bind', process.execPath, `${inside.tools}/node`],
		...(launch.egressSocket === null
			? []
			: [
					'--ro-bind',
					connector,
					`${inside.tools}/connector.mjs`,
					'--bind',
					launch.egressSocket,
					inside.socket,
				]),
	]
}

/** The folders above these paths, which bubblewrap would make for root alone. */
function openFolders(paths: readonly string[]): string[] {
	const above = paths.flatMap((path) => {
		const parts = dirname(path).split('/').slice(1)
		return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)
	})
	const own = [...new Set(above)].filter(
		(path) => path !== '/' && path !== '/tmp' && !systemFolders.some((of) => isIn(path, of)),
	)
	return own.flatMap((path) => ['--perms', '0755', '--dir', path])
}

function isIn(path: string, folder: string): boolean {
	return path === folder || path.startsWith(`${folder}/`)
}

/** On many systems /bin and /lib are links into /usr. */
function bindSystem(path: string): string[] {
	if (!existsSync(path)) return []
	return lstatSync(path).isSymbolicLink()
		? ['--symlink', readlinkSync(path), path]
		: ['--ro-bind', path, path]
}

/** Libraries ask who they are and where `localhost` is. */
function identityFiles({ runDir }: Launch, uid: number): string[] {
	const files = {
		passwd: `program:x:${uid}:${uid}::${inside.home}:/bin/sh\n`,
		group: `program:x:${uid}:\n`,
		hosts: '127.0.0.1 localhost\n::1 localhost\n',
	}
	return Object.entries(files).flatMap(([name, text]) => {
		const path = join(runDir, name)
		writeFileSync(path, text, { mode: 0o644 })
		return ['--ro-bind', path, `/etc/${name}`]
	})
}

/** The environment of the program, as arguments that bubblewrap reads from a pipe. */
function variables({ env, egressSocket }: Launch): string {
	const proxy = 'http://127.0.0.1:3128'
	const all: Record<string, string> = {
		...env,
		PATH: `${inside.tools}:/usr/local/bin:/usr/bin:/bin`,
		HOME: inside.home,
		TMPDIR: '/tmp',
		LANG: 'C.UTF-8',
		...(egressSocket !== null && {
			HTTP_PROXY: proxy,
			HTTPS_PROXY: proxy,
			http_proxy: proxy,
			https_proxy: proxy,
			NODE_USE_ENV_PROXY: '1',
		}),
	}
	const set = Object.entries(all).flatMap(([name, value]) => ['--setenv', name, value])
	return ['--clearenv', ...set].map((arg) => `${arg}\0`).join('')
}

/**
 * As root the mounts are made by root, then the program gets a user id of its own, which no other program and nobody
 * else has, without any capability; a second bubblewrap takes further user namespaces from it. Else one does all. The
 * innermost one sets the environment, so that what is in it acts on nothing that has more rights than the program.
 */
function entryOf(bwrap: string, launch: Launch): string[] {
	const program = limitCommand(
		launch.egressSocket === null
			? [launch.file, ...launch.args]
			: [`${inside.tools}/node`, `${inside.tools}/connector.mjs`, inside.socket, launch.file, ...launch.args],
		launch,
	)
	const unprivileged = ['--unshare-user', '--disable-userns', '--chdir', inside.home, '--args', '4']
	const uid = uidOf(launch.serverId)
	if (uid === null) return [...unprivileged, '--', ...program]
	const kept = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => ['--cap-add', name])
	const drop = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all']
	return [
		...['--cap-drop', 'ALL', ...kept, '--'],
		...[findOnPath('setpriv') ?? 'setpriv', '--reuid', String(uid), '--regid', String(uid), ...drop, '--'],
		...[bwrap, ...unprivileged, '--die-with-parent', '--dev-bind', '/', '/', '--', ...program],
	]
}

const firstUid = 2_000_000_000

/** When we are root: the user id of a program, always the same, beyond those that systems give to people. */
export function uidOf(serverId: string): number | null {
	if (process.getuid?.() !== 0) return null
	return firstUid + (createHash('sha256').update(serverId).digest().readUInt32BE() % 100_000_000)
}

/** What a driver is to start: a command with everything that it may see. */
export interface Launch {
	file: string
	args: readonly string[]
	env: Readonly<Record<string, string>>
	/** Its own directory, the only one that it may write to; absolute. */
	home: string
	/** Directories that it may read; absolute. */
	readable: readonly string[]
	/** The installed package, or null. */
	packageDir: string | null
	/** Socket of the proxy that is its only way out, or null for none. */
	egressSocket: string | null
	memoryBytes: number
	processes: number
	/** Scratch files that the driver makes for this program lie here. */
	runDir: string
	serverId: string
}

/** A command for `spawn`. */
export interface Command {
	file: string
	args: string[]
	env: Record<string, string>
	cwd: string
	/** What it reads from descriptor 4: what nobody may see in its arguments, which the whole machine can read. */
	input?: string
}

/** How a program is kept from what is not its own. */
export interface SandboxDriver {
	readonly kind: 'bubblewrap' | 'none'
	/** Where the program sees its package. */
	packagePath(packageDir: string): string
	wrap(launch: Launch): Command
}

/** Where programs of the system lie; what the operator's shell has in front of it plays no part. */
export const systemPath = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']

/** The absolute path of a program of the system, or null. */
export function findOnPath(name: string): string | null {
	return systemPath.map((folder) => join(folder, name)).find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK)
		return true
	} catch {
		return false
	}
}

/** Node has more than half a gigabyte of address space before it does anything; what is really used is watched. */
const reservedBytes = 1024 ** 3
const filesMax = 1024
const fileBytesMax = 1024 ** 3

/** The command under limits of the kernel: memory, processes and threads, file size, open files, no core dumps. */
export function limitCommand(
	command: readonly string[],
	limits: { memoryBytes: number; processes: number | null },
): string[] {
	const prlimit = findOnPath('prlimit')
	if (prlimit === null) return [...command]
	return [
		prlimit,
		`--data=${limits.memoryBytes + reservedBytes}`,
		`--fsize=${fileBytesMax}`,
		`--nofile=${filesMax}`,
		'--core=0',
		...(limits.processes === null ? [] : [`--nproc=${limits.processes}`]),
		'--',
		...command,
	]
}
