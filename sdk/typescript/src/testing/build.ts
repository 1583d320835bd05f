import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../build.mjs', import.meta.url))

/** Builds the package as it is published. */
export function buildPackage(): void {
	execFileSync(process.execPath, [script])
}
