import { findOnPath } from './find-on-path.ts'

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
