import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Outside the clone, so that the next clone can use it. It can be deleted to free disk space. */
const kept = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'signalbox-tests')

/**
 * A folder of packages that only tests need, created once per machine for each value of `wanted`. `make` fills an empty folder, which
 * is then moved into place, and returns whether it succeeded; null if it did not.
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

/** Another run may have created the same in the meantime. */
function moveUnlessThere(from: string, to: string): void {
	try {
		renameSync(from, to)
	} catch (error) {
		if (!existsSync(to)) throw error
	}
}

/** A cache folder for a tool that uses such packages; the tool creates it. */
export function keptCache(name: string): string {
	return join(kept, name)
}
