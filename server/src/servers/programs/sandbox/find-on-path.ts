import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Where programs of the system lie; what the operator's shell has in front of it plays no part. */
export const systemPath = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']

/** The absolute path of a program of the system, or null. */
export function findOnPath(name: string): string | null {
	return systemPath.map((folder) => join(folder, name)).find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK)
		return true
	} catch {
		return false
	}
}
