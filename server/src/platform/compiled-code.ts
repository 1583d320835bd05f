import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** Environment by which a thread or child shares the compiled modules of this process, which it does not by itself. */
export function compiledCodeEnvironment(): { NODE_COMPILE_CACHE?: string } {
	const directory = getCompileCacheDir()
	return directory ? { NODE_COMPILE_CACHE: dirname(directory) } : {}
}
