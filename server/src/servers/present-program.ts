import type { OutputOf, programOperations } from '@signalbox/contract'
import { toIso } from '../platform/clock.ts'
import { notFound } from '../platform/errors.ts'
import type { InstalledPackage } from '../programs/index.ts'
import { type ServerContext, serverOrNotFound } from './context.ts'
import type { Acceptance } from './program-spec-of.ts'
import type { ServerRow } from './repository.ts'

export type ProgramDocument = OutputOf<(typeof programOperations)['get']>

/** A hosted server; one with an address has no program, which is a 404. */
export async function hostedOrNotFound(
	db: Parameters<typeof serverOrNotFound>[0],
	workspaceId: string,
	id: string,
): Promise<ServerRow> {
	const row = await serverOrNotFound(db, workspaceId, id)
	if (row.hosting_mode !== 'hosted') throw notFound('program')
	return row
}

/** What an owner writes to let a program run where there is no sandbox. */
export function acceptanceSentence({ name }: Pick<ServerRow, 'name'>): string {
	return `I accept that the program of ${name} runs without a sandbox, with everything that Signalbox itself may do on this machine.`
}

export function presentProgram({ programs }: ServerContext, row: ServerRow): ProgramDocument {
	const { processes, next_start_ms, ...status } = programs.statusOf(row.id)
	const { kind, reason } = programs.sandbox()
	return {
		...status,
		processes: processes.map(({ started_at_ms, ...shown }) => ({
			...shown,
			started_at: toIso(started_at_ms),
		})),
		next_start_at: next_start_ms === null ? null : toIso(next_start_ms),
		sandbox: kind,
		sandbox_missing: reason || null,
		package: packageOf(row),
		install_error: row.status === 'error' ? row.last_error : null,
		limits: {
			memory_bytes: programs.limits.memoryBytes,
			processes: programs.limits.processes,
			idle_ms: programs.limits.idleMs,
		},
		acceptance_sentence: acceptanceSentence(row),
		accepted_without_sandbox: acceptanceOf(row),
		allowed_hosts: JSON.parse(row.allowed_hosts) as string[],
	}
}

function packageOf(row: ServerRow): ProgramDocument['package'] {
	if (row.package === null) return null
	const { name, version, integrity } = JSON.parse(row.package) as InstalledPackage
	return { name, version, integrity }
}

function acceptanceOf({ unsandboxed }: ServerRow): ProgramDocument['accepted_without_sandbox'] {
	if (unsandboxed === null) return null
	const { name, at } = JSON.parse(unsandboxed) as Acceptance
	return { by: name, at: toIso(at) }
}
