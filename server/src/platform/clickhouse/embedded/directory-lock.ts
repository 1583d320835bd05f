import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

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

/** Another program uses the directory. The message names it and says how to mend it. */
export class DirectoryInUse extends Error {
	override name = 'DirectoryInUse'
}

/** Who uses the directory, for people and for the next start. */
export interface DirectoryOwner extends ProcessIdentity {
	child?: ProcessIdentity
}

export interface DirectoryLock {
	/** What the previous owner left behind, if anything. */
	readonly previous: DirectoryOwner | undefined
	/** Writes down the engine's process, so that a later start can end it when it was left over. */
	recordChild(pid: number): void
	release(): void
}

/**
 * Takes a directory for this process. The lock is the kernel's (SQLite's file lock), so it ends with the process
 * however that ends, and holds between containers that share a disk; the JSON beside it only explains.
 */
export function lockDirectory(directory: string): DirectoryLock {
	mkdirSync(directory, { recursive: true, mode: 0o700 })
	const ownerPath = join(directory, 'engine.json')
	const held = holdLock(join(directory, 'engine.lock'))
	const previous = readOwner(ownerPath)
	if (!held) throw new DirectoryInUse(describeConflict(directory, previous))
	const owner: DirectoryOwner = identifyProcess(process.pid)
	writeOwner(ownerPath, previous?.child ? { ...owner, child: previous.child } : owner)
	return {
		previous,
		recordChild: (pid) => writeOwner(ownerPath, { ...owner, child: identifyProcess(pid) }),
		release: () => held.close(),
	}
}

function holdLock(path: string): DatabaseSync | undefined {
	const database = new DatabaseSync(path, { timeout: 0 })
	try {
		database.exec('BEGIN EXCLUSIVE')
		return database
	} catch (error) {
		database.close()
		if (isBusy(error)) return undefined
		throw error
	}
}

function isBusy(error: unknown): boolean {
	return error instanceof Error && 'errcode' in error && error.errcode === 5
}

function describeConflict(directory: string, owner: DirectoryOwner | undefined): string {
	const who = owner ? `process ${owner.pid}` : 'another process'
	return `The telemetry directory ${directory} is in use by ${who}. Stop that process, or set another data directory for this one.`
}

function readOwner(path: string): DirectoryOwner | undefined {
	try {
		return JSON.parse(readFileSync(path, 'utf8')) as DirectoryOwner
	} catch {
		return undefined
	}
}

function writeOwner(path: string, owner: DirectoryOwner): void {
	writeFileSync(`${path}.new`, `${JSON.stringify(owner)}\n`, { mode: 0o600 })
	renameSync(`${path}.new`, path)
}
