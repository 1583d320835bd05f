import { readFileSync } from 'node:fs'

/** Names one process for good: a pid alone is used again by the system. */
export interface ProcessIdentity {
	pid: number
	/** Kernel ticks since boot at which it started; null where the system does not tell. */
	startTicks: string | null
	bootId: string | null
}

/** The identity of a running process of this machine. */
export function identifyProcess(pid: number): ProcessIdentity {
	return { pid, startTicks: readStartTicks(pid), bootId: readText('/proc/sys/kernel/random/boot_id') }
}

/** True only when that very process still runs; false when in doubt. */
export function isSameProcess(recorded: ProcessIdentity): boolean {
	const now = identifyProcess(recorded.pid)
	return now.startTicks !== null && now.startTicks === recorded.startTicks && now.bootId === recorded.bootId
}

function readStartTicks(pid: number): string | null {
	const stat = readText(`/proc/${pid}/stat`)
	// The command name may hold blanks and brackets, so count from the last bracket: state is the 1st field, start the 20th.
	const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
	// A zombie has ended; in a container nobody may ever collect it.
	return fields[0] === 'Z' ? null : (fields[19] ?? null)
}

function readText(path: string): string | null {
	try {
		return readFileSync(path, 'utf8').trim()
	} catch {
		return null
	}
}
