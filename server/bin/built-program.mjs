// Plain JavaScript, for the same reason as signalbox.mjs: an old Node asks too.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Holds one directory for each build, and `current.json`, which names the last one. */
export const builds = 'server/dist/program'
const sources = ['server/src', 'contract/src']

/**
 * The directory of the program as one bundle, which starts in half the time of a thousand source files; null where none was built, or
 * where a source or the list of packages has changed since: then the sources run.
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

/** Where Node keeps the compiled modules of a build, or of the sources; whoever can write there can change the program anyway. */
export function compiledModules(built) {
	return built ? join(built, 'compiled') : join(root, 'node_modules/.cache/signalbox')
}

/** Of the packages that the sources are built with. */
export function packagesOf(checkout) {
	return createHash('sha256')
		.update(readFileSync(join(checkout, 'package-lock.json')))
		.digest('hex')
}

/**
 * Whether a source below a folder was changed after a moment; files that are read where they are, and tests, are no part of what is built. Each
 * command asks that first: a walk of our own takes half the time of a recursive `readdirSync`.
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
