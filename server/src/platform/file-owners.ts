import { accessSync, constants, lstatSync, mkdtempSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

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
