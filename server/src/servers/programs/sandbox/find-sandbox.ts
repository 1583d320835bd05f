import { spawnSync } from 'node:child_process'
import { bubblewrap } from './bubblewrap.ts'
import type { SandboxDriver } from './driver.ts'
import { findOnPath } from './find-on-path.ts'

/** The best sandbox that works here, or null and why there is none. Tried once, at the first need: some systems forbid user namespaces. */
export function findSandbox(): { driver: SandboxDriver | null; reason: string } {
	const missing = ['bwrap', 'prlimit', ...(process.getuid?.() === 0 ? ['setpriv'] : [])].filter(
		(name) => findOnPath(name) === null,
	)
	if (missing.length > 0) return { driver: null, reason: `not installed: ${missing.join(', ')}` }
	const bwrap = findOnPath('bwrap') as string
	const probe = [
		'--ro-bind',
		'/',
		'/',
		'--proc',
		'/proc',
		'--unshare-all',
		'--unshare-user',
		'--disable-userns',
	]
	const { status, stderr } = spawnSync(bwrap, [...probe, '--', '/bin/true'], { timeout: 5000, env: {} })
	if (status === 0) return { driver: bubblewrap(bwrap), reason: '' }
	return { driver: null, reason: `bubblewrap does not work here: ${String(stderr).trim().slice(0, 200)}` }
}
