import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../build.mjs', import.meta.url))

/** Builds the package as it is published, once for all tests that load it, because they run in parallel. */
export function setup(): void {
	execFileSync(process.execPath, [script])
}
