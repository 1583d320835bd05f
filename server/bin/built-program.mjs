// Plain JavaScript, for the same reason as signalbox.mjs: an old Node asks too.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Holds one directory for each build, and `current.json`, which names the last one. */
export const builds = 'server/dist/program'

/**
 * The directory of the program as one bundle, which starts in half the time of a thousand source files; null where none was built, or
 * where a source or the list of packages has changed since: then the sources run.
 */
export function builtProgram(checkout = root) {
	try {
		const current = JSON.parse(readFileSync(join(checkout, builds, 'current.json'), 'utf8'))
		const isFresh = current.packages === packagesOf(checkout) && newestSourceMs(checkout) <= current.begunAtMs
		return isFresh ? join(checkout, builds, current.directory) : null
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

/** Files that are read where they are, and tests, are no part of what is built. */
function newestSourceMs(checkout) {
	let newest = 0
	for (const folder of ['server/src', 'contract/src'])
		for (const name of readdirSync(join(checkout, folder), { recursive: true })) {
			if (!name.endsWith('.ts') || name.endsWith('.test.ts') || name.endsWith('.testing.ts')) continue
			newest = Math.max(newest, statSync(join(checkout, folder, name)).mtimeMs)
		}
	return newest
}
