import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { identifyProcess, type ProcessIdentity } from './process-identity.ts'

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
