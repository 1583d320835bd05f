import { join } from 'node:path'
import { type Config, readVariable } from '../config/config.ts'

/** How the operator's npm reaches its registry. */
function installEnv(): Record<string, string> {
	const names = [
		'HTTP_PROXY',
		'HTTPS_PROXY',
		'NO_PROXY',
		'NODE_EXTRA_CA_CERTS',
		'SSL_CERT_FILE',
		'npm_config_registry',
	]
	return Object.fromEntries(names.flatMap((name) => [[name, readVariable(name)] as const]).filter(isGiven))
}

function isGiven(entry: readonly [string, string | null]): entry is readonly [string, string] {
	return entry[1] !== null
}

/** Where programs of stdio servers live and what they may use. */
export function hostingOf({
	dataDir,
	PROGRAM_PATHS,
	PROGRAM_IDLE_MS,
	PROGRAM_MEMORY_BYTES,
	PROGRAMS_MAX,
}: Config) {
	const limits = { idleMs: PROGRAM_IDLE_MS, memoryBytes: PROGRAM_MEMORY_BYTES, programs: PROGRAMS_MAX }
	return { directory: join(dataDir, 'programs'), readable: PROGRAM_PATHS, limits, installEnv: installEnv() }
}
