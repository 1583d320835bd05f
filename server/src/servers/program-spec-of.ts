import type { Sealer } from '../platform/crypto/seal.ts'
import type { InstalledPackage, ProgramSpec } from '../programs/index.ts'
import { parsePackageCommand } from './package-command.ts'
import { openEnv } from './programs.ts'
import type { ServerRow } from './repository.ts'

/** Who accepted in writing that a program runs without a sandbox. */
export interface Acceptance {
	by: string
	name: string
	at: number
	sentence: string
}

/** What to run for a stored server; null for one with an address. Throws when its environment does not open. */
export function programSpecOf(row: ServerRow, sealer: Sealer): ProgramSpec | null {
	if (row.hosting_mode !== 'hosted') return null
	const args = JSON.parse(row.args) as string[]
	const installed = row.package === null ? null : (JSON.parse(row.package) as InstalledPackage)
	return {
		serverId: row.id,
		command: row.command,
		args: parsePackageCommand(row.command, args)?.args ?? args,
		env: openEnv(sealer, row),
		allowedHosts: JSON.parse(row.allowed_hosts) as string[],
		acceptedWithoutSandbox: row.unsandboxed !== null,
		restartedAtMs: row.restarted_at,
		package: installed,
	}
}
