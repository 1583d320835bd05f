import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Outside of the clone, so that the next one has it at once. Whoever wants the room back deletes it. */
const kept = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'signalbox-tests')

/**
 * A folder of packages that nothing but tests needs, made once on a machine for all that `wanted` says of it. `make` fills an
 * empty folder, which is moved then, and answers whether it could; null where it could not.
 */
export function keptPackages(
	name: string,
	wanted: readonly string[],
	make: (folder: string) => boolean,
): string | null {
	const key = createHash('sha256').update(JSON.stringify([process.platform, process.arch, ...wanted]))
	const folder = join(kept, `${name}-${key.digest('hex').slice(0, 16)}`)
	if (existsSync(folder)) return folder
	mkdirSync(kept, { recursive: true })
	const unfinished = mkdtempSync(`${folder}-`)
	try {
		if (!make(unfinished)) return null
		moveUnlessThere(unfinished, folder)
		return folder
	} finally {
		rmSync(unfinished, { recursive: true, force: true })
	}
}

/** Another run may have made the same in the meantime. */
function moveUnlessThere(from: string, to: string): void {
	try {
		renameSync(from, to)
	} catch (error) {
		if (!existsSync(to)) throw error
	}
}

/** A folder for what a tool remembers of such packages; it is made by whoever writes there. */
export function keptCache(name: string): string {
	return join(kept, name)
}
