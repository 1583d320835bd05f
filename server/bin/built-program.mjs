// Plain JavaScript for the same reason as signalbox.mjs: an old Node runs it too.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Contains one directory for each build, and `current.json`, which names the latest. */
export const builds = 'server/dist/program'
const sources = ['server/src', 'contract/src']

/**
 * The directory of the bundled program, which starts in half the time of a thousand source files. Null if there is no build, or if a
 * source file or the lock file has changed since: then the program runs from its sources.
 */
export function builtProgram(checkout = root) {
	try {
		const current = JSON.parse(readFileSync(join(checkout, builds, 'current.json'), 'utf8'))
		const isStale =
			current.packages !== packagesOf(checkout) ||
			sources.some((folder) => hasChangedSince(join(checkout, folder), current.begunAtMs))
		return isStale ? null : join(checkout, builds, current.directory)
	} catch {
		return null
	}
}

/** Node's compile cache of a build or of the sources. Whoever can write there can also change the program. */
export function compiledModules(built) {
	return built ? join(built, 'compiled') : join(root, 'node_modules/.cache/signalbox')
}

const inUse = /^in-use-(\d+)$/

/** Marks a build as that of this process, so that later builds keep it: a running program loads some of its files only when it needs them. */
export function markInUse(build) {
	try {
		writeFileSync(join(build, `in-use-${process.pid}`), '')
	} catch {
		// The account that runs the program may not write there; then another one builds it, elsewhere or with a restart.
	}
}

/** Whether a process that runs a build is still there. */
export function isInUse(build) {
	return readdirSync(build).some((name) => isAlive(Number(inUse.exec(name)?.[1])))
}

function isAlive(pid) {
	if (!(pid > 0)) return false
	try {
		return process.kill(pid, 0)
	} catch (error) {
		// It belongs to another account.
		return error.code === 'EPERM'
	}
}

/** Hash of the lock file. */
export function packagesOf(checkout) {
	return createHash('sha256')
		.update(readFileSync(join(checkout, 'package-lock.json')))
		.digest('hex')
}

/**
 * Whether a source file in a folder was changed after a time. Tests, and files that are read at run time, are not part of a build. Every
 * command checks this first, so the folders are read one by one, which takes half the time of a recursive `readdirSync`.
 */
function hasChangedSince(folder, momentMs) {
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = `${folder}/${entry.name}`
		const isChanged = entry.isDirectory()
			? hasChangedSince(path, momentMs)
			: isSource(entry.name) && statSync(path).mtimeMs > momentMs
		if (isChanged) return true
	}
	return false
}

function isSource(name) {
	return name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('.testing.ts')
}
