import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** Environment that lets a thread or child share the compile cache of this process; it is not inherited. */
export function compiledCodeEnvironment(): { NODE_COMPILE_CACHE?: string } {
	const directory = getCompileCacheDir()
	return directory ? { NODE_COMPILE_CACHE: dirname(directory) } : {}
}
