import { createHash } from 'node:crypto'
import {
	accessSync,
	chownSync,
	constants,
	existsSync,
	lstatSync,
	readdirSync,
	readlinkSync,
	realpathSync,
	writeFileSync,
} from 'node:fs'
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
const sharedMemoryBytes = 64 * 1024 * 1024
/** System folders from which programs are loaded, and what they need of /etc; nothing else of it. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const systemFiles = [
	'/etc/ssl',
	'/etc/ca-certificates',
	'/etc/pki',
	'/etc/alternatives',
	'/etc/ld.so.cache',
	'/etc/localtime',
]
/** Private keys of the machine within these. Members of a group such as `ssl-cert` may read them. */
const systemSecrets = ['/etc/ssl/private', '/etc/pki/tls/private', '/etc/pki/CA/private']
/** Java does not start without its settings, which Debian keeps in `/etc/java-17-openjdk` and the like, Red Hat in `/etc/java`. */
const javaSettings = /^java(-\d+-openjdk)?$/

/** Starts programs in bubblewrap: separate namespaces, a root of a few read-only folders, no network. */
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
	// Not recursively: the folder's content belongs to the program, which could place a symbolic link there.
	if (uid !== null) chownSync(launch.home, uid, uid)
	return [
		...systemFolders.flatMap(bindSystem),
		...['--proc', '/proc', '--dev', '/dev'],
		...['--size', String(sharedMemoryBytes), '--perms', '1777', '--tmpfs', '/dev/shm'],
		...['--remount-ro', '/dev'],
		// Before the folders that are bound, because one of them may be below it.
		...['--size', String(temporaryBytes), '--perms', '1777', '--tmpfs', '/tmp'],
		...openFolders(['/etc/x', '/home/x', '/opt/x', inside.socket, ...launch.readable]),
		...filesOfEtc().flatMap((path) => ['--ro-bind', path, path]),
		...identityFiles(launch, uid ?? process.getuid?.() ?? 0),
		...['--bind', launch.home, inside.home],
		...launch.readable.flatMap((path) => ['--ro-bind-try', path, path]),
		...hiddenIn(launch).flatMap((path) => ['--perms', '0000', '--tmpfs', path, '--remount-ro', path]),
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
		// It is in memory, without a limit, and would be the program's own where we are not root.
		...['--remount-ro', '/'],
	]
}

/** Folders that must not be seen within those that programs may read. A data directory may lie below /usr/local. */
function hiddenIn({ dataDirectory }: Launch): string[] {
	const data = realpathSync(dataDirectory)
	const isSeen = systemFolders.some((folder) => isIn(data, folder))
	return [...systemSecrets.filter((path) => existsSync(path)), ...(isSeen ? [data] : [])]
}

function filesOfEtc(): string[] {
	const ofJava = readdirSync('/etc').filter((name) => javaSettings.test(name))
	return [...systemFiles.filter((path) => existsSync(path)), ...ofJava.map((name) => `/etc/${name}`)]
}

/** The parent folders of these paths, which bubblewrap would otherwise create for root only. */
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

/** On many systems /bin and /lib are symbolic links into /usr. */
function bindSystem(path: string): string[] {
	if (!existsSync(path)) return []
	return lstatSync(path).isSymbolicLink()
		? ['--symlink', readlinkSync(path), path]
		: ['--ro-bind', path, path]
}

/** Libraries look up the current user and `localhost`. */
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
 * As root: root creates the mounts, then the program gets a user id that nobody else has, without any capability; a second
 * bubblewrap denies it further user namespaces. Otherwise one bubblewrap does everything. The innermost one sets the environment,
 * so that its variables do not affect anything with more rights than the program.
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

/** If we are root: a fixed user id for each program, above those that systems assign to people. */
export function uidOf(serverId: string): number | null {
	if (process.getuid?.() !== 0) return null
	return firstUid + (createHash('sha256').update(serverId).digest().readUInt32BE() % 100_000_000)
}

/** What a driver starts: a command, and everything that it may see. */
export interface Launch {
	file: string
	args: readonly string[]
	env: Readonly<Record<string, string>>
	/** Absolute path of its own directory, the only one that it may write to. */
	home: string
	/** Absolute paths of directories that it may read. */
	readable: readonly string[]
	/** The directory with the keys and stores of the instance, of which it may see nothing. */
	dataDirectory: string
	/** Folder of the installed package, or null. */
	packageDir: string | null
	/** Socket of the proxy that is its only way out; null for none. */
	egressSocket: string | null
	memoryBytes: number
	processes: number
	/** Folder for temporary files that the driver creates for this program. */
	runDir: string
	serverId: string
}

/** A command for `spawn`. */
export interface Command {
	file: string
	args: string[]
	env: Record<string, string>
	cwd: string
	/** Input on descriptor 4, for data that must not be in the arguments, which the whole machine can read. */
	input?: string
}

/** Isolates a program from everything that is not its own. */
export interface SandboxDriver {
	readonly kind: 'bubblewrap' | 'none'
	/** The path under which the program sees its package. */
	packagePath(packageDir: string): string
	wrap(launch: Launch): Command
}

/** Search path for system programs; the operator's own PATH is ignored. */
export const systemPath = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']

/** The absolute path of a system program, or null. */
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

/** Node reserves more than half a gigabyte of address space at startup; actual use is monitored. */
const reservedBytes = 1024 ** 3
const maxFiles = 1024
const maxFileBytes = 1024 ** 3

/** The command with kernel limits for memory, processes and threads, file size, open files, and without core dumps. */
export function limitCommand(
	command: readonly string[],
	limits: { memoryBytes: number; processes: number | null },
): string[] {
	const prlimit = findOnPath('prlimit')
	if (prlimit === null) return [...command]
	return [
		prlimit,
		`--data=${limits.memoryBytes + reservedBytes}`,
		`--fsize=${maxFileBytes}`,
		`--nofile=${maxFiles}`,
		'--core=0',
		...(limits.processes === null ? [] : [`--nproc=${limits.processes}`]),
		'--',
		...command,
	]
}
