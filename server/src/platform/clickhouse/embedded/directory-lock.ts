import {
	accessSync,
	constants,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmdirSync,
	statSync,
	writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Identifies one process permanently; a pid alone is reused by the system. */
export interface ProcessIdentity {
	pid: number
	/** Start time in kernel ticks since boot; null if the system does not report it. */
	startTicks: string | null
	bootId: string | null
}

/** The identity of a running process on this machine. */
export function identifyProcess(pid: number): ProcessIdentity {
	return { pid, startTicks: readStartTicks(pid), bootId: readText('/proc/sys/kernel/random/boot_id') }
}

/** True only if that very process still runs; false when in doubt. */
export function isSameProcess(recorded: ProcessIdentity): boolean {
	const now = identifyProcess(recorded.pid)
	return now.startTicks !== null && now.startTicks === recorded.startTicks && now.bootId === recorded.bootId
}

function readStartTicks(pid: number): string | null {
	const stat = readText(`/proc/${pid}/stat`)
	// The command name may contain spaces and parentheses, so fields are counted from the last parenthesis: state is the 1st, start
	// time the 20th.
	const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
	// A zombie has ended; in a container it may never be reaped.
	return fields[0] === 'Z' ? null : (fields[19] ?? null)
}

function readText(path: string): string | null {
	try {
		return readFileSync(path, 'utf8').trim()
	} catch {
		return null
	}
}

/** Another program uses the directory. The message names that program and the remedy. */
export class DirectoryInUse extends Error {
	override name = 'DirectoryInUse'
}

/** The process that uses the directory, for error messages and for the next start. */
export interface DirectoryOwner extends ProcessIdentity {
	child?: ProcessIdentity
}

export interface DirectoryLock {
	/** What the previous owner left behind, if anything. */
	readonly previous: DirectoryOwner | undefined
	/** Records the engine's process, so that a later start can end it if it is left over. */
	recordChild(pid: number): void
	release(): void
}

/**
 * Locks a directory for this process. It is a lock of the kernel (SQLite's file lock), so it is released however the process ends,
 * and it works between containers that share a disk. The JSON file beside it is informational.
 */
export function lockDirectory(directory: string): DirectoryLock {
	makeDataDirectory(directory)
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

/** Whether a program uses the directory. Reading is enough to find its lock, and works on a full disk too. */
export function isDirectoryInUse(directory: string): boolean {
	const path = join(directory, 'engine.lock')
	if (!existsSync(path)) return false
	const database = new DatabaseSync(path, { timeout: 0 })
	try {
		database.prepare('SELECT name FROM sqlite_master').all()
		return false
	} catch (error) {
		if (isBusy(error)) return true
		throw error
	} finally {
		database.close()
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

/**
 * For commands that write into the data directory of a stopped program. What root writes there belongs to root, so the program, if
 * it is of another user, could not read it and would not start. A new folder shows who owns what we write, because some file systems
 * give everything to one user.
 */
export function requireOwnUser(dataDir: string): void {
	const owner = statSync(join(dataDir, 'engine.lock'), { throwIfNoEntry: false })?.uid
	if (owner === undefined || owner === process.geteuid?.()) return
	const made = mkdtempSync(join(dataDir, '.owner-'))
	const ours = statSync(made).uid
	rmdirSync(made)
	if (ours === owner) return
	const reason = `${dataDir} belongs to user ${owner}, who could not read what user ${ours} writes there.`
	const remedy = `Run this command as user ${owner}, for example with sudo -u '#${owner}'.`
	throw Object.assign(new Error(`${reason} ${remedy}`), { code: 'EACCES' })
}

/** For a failed start: names a file of another user in the data directory that is closed to this process. */
export function explainForeignFile(dataDir: string): string | null {
	const user = process.geteuid?.()
	if (!existsSync(dataDir) || !statSync(dataDir).isDirectory()) return null
	const foreign = findClosed(dataDir)
	if (foreign === null || user === undefined || foreign.owner === user) return null
	return `${foreign.path} belongs to user ${foreign.owner}, and user ${user}, who starts Signalbox, may not use it. Give it back, with chown -R ${user} ${dataDir}, or start as the other user.`
}

function findClosed(path: string): { path: string; owner: number } | null {
	try {
		const status = lstatSync(path)
		if (status.isSymbolicLink()) return null
		if (isClosed(path)) return { path, owner: status.uid }
		if (!status.isDirectory()) return null
		for (const name of readdirSync(path)) {
			const found = findClosed(join(path, name))
			if (found) return found
		}
	} catch {
		// It has gone meanwhile.
	}
	return null
}

function isClosed(path: string): boolean {
	try {
		accessSync(path, constants.R_OK | constants.W_OK)
		return false
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EACCES'
	}
}

/** Creates a data directory. Node's recursive `mkdir` never ends where the system says that an existing parent is missing, as in /proc. */
export function makeDataDirectory(path: string): void {
	if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
	if (!existsSync(dirname(path))) makeDataDirectory(dirname(path))
	mkdirSync(path, { mode: 0o700 })
}

const expected = {
	file: ['control.db', 'master.key', 'engine.lock', 'engine.json', 'erasures.json', 'program.socket'],
	directory: ['chdb', 'wal', 'snapshots'],
}
const another = 'choose another data directory with SIGNALBOX_DATA_DIR'

/** For a failed start: why the data directory cannot be made or used, with the remedy; null: it can. */
export function explainDataDirectory(dataDir: string): string | null {
	const kindOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? null
	let [parent, missing] = [dataDir, dataDir]
	while (!existsSync(parent)) [parent, missing] = [dirname(parent), parent]
	if (kindOf(parent) === false) return `${parent} is a file, not a directory. Move it away, or ${another}.`
	const refused = whyNoWriting(parent)
	if (refused !== null || parent !== dataDir) {
		const what = parent === dataDir ? `use ${dataDir}` : `create ${dataDir}`
		const reason = whyNotMade(missing) ?? refused ?? `${parent} takes no directory`
		return `User ${process.geteuid?.()} cannot ${what}: ${reason}. Mend that, or ${another}.`
	}
	for (const [kind, names] of Object.entries(expected))
		for (const path of names.map((name) => join(dataDir, name)))
			if (kindOf(path) === (kind === 'file')) return `${path} must be a ${kind}. Move it away, or ${another}.`
	return null
}

/** The longest name that Linux file systems take. */
const longestNameBytes = 255

function whyNotMade(path: string): string | null {
	if (Buffer.byteLength(basename(path)) > longestNameBytes)
		return `it has a name that is longer than ${longestNameBytes} bytes`
	const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
	return isLink && !existsSync(path) ? `${path} is a link to something that does not exist` : null
}

function whyNoWriting(directory: string): string | null {
	try {
		accessSync(directory, constants.W_OK | constants.X_OK)
		return null
	} catch (error) {
		const isReadOnly = (error as NodeJS.ErrnoException).code === 'EROFS'
		return isReadOnly ? 'the file system is read-only' : `${directory} may not be written to`
	}
}
