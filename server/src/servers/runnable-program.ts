import { Problem } from '../platform/errors.ts'
import type { ProgramSpec } from './programs/index.ts'
import type { ServerEntry } from './server-entry.ts'

/** The program of a server if it is to run now, else null or a `Problem` that says why it may not. */
export function runnableProgram(
	entry: ServerEntry | undefined,
	mayRunPrograms: (workspaceId: string) => boolean,
): ProgramSpec | null {
	if (!entry?.program || entry.status !== 'active') return null
	if (!mayRunPrograms(entry.workspaceId))
		throw new Problem('upstream_unreachable', 'This workspace has no right to programs (stdio) any more.')
	if (/(^|\/)(npx|uvx)$/.test(entry.program.command) && !entry.program.package)
		throw new Problem(
			'upstream_unreachable',
			'Its package is not installed: only `npx` with a package of the npm registry can be installed.',
		)
	return entry.program
}
