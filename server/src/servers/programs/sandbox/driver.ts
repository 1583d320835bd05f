import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

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
