import type { OutputOf, programOperations } from '@signalbox/contract'
import { toIso } from '../platform/clock.ts'
import { notFound } from '../platform/errors.ts'
import { type Acceptance, type JudgedProgram, programSpecOf } from './program-spec-of.ts'
import type { InstalledPackage } from './programs/index.ts'
import { type ServerContext, serverOrNotFound } from './server-context.ts'
import type { ServerRow } from './server-repository.ts'

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

type Judging = Pick<ServerContext, 'programs' | 'sealer'>

/** The program of a hosted server; one whose environment does not open (another master key) has no fingerprint and does not start. */
export function judgedProgram(
	{ programs, sealer }: Judging,
	row: ServerRow,
): Pick<JudgedProgram, 'fingerprint' | 'acceptance'> {
	try {
		return programSpecOf(row, sealer, programs.readable) as JudgedProgram
	} catch {
		return { fingerprint: '', acceptance: null }
	}
}

/** What somebody writes to let a program start as it is now. It names the fingerprint, so that nobody accepts what they did not see. */
export function acceptanceSentence(servers: Judging, row: ServerRow): string {
	const program = `the program of ${row.name} (${judgedProgram(servers, row).fingerprint.slice(0, 12)})`
	return servers.programs.sandbox().kind === 'none'
		? `I accept that ${program} runs without a sandbox, with everything that Signalbox itself may do on this machine.`
		: `I accept that ${program} runs in its sandbox.`
}

export function presentProgram(servers: Judging, row: ServerRow): ProgramDocument {
	const { programs } = servers
	const { fingerprint, acceptance } = judgedProgram(servers, row)
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
		fingerprint,
		acceptance_sentence: acceptanceSentence(servers, row),
		accepted: presentAcceptance(acceptance),
		accepted_without_sandbox: acceptance?.withoutSandbox ? presentAcceptance(acceptance) : null,
		allowed_hosts: JSON.parse(row.allowed_hosts) as string[],
	}
}

function packageOf(row: ServerRow): ProgramDocument['package'] {
	if (row.package === null) return null
	const { name, version, integrity } = JSON.parse(row.package) as InstalledPackage
	return { name, version, integrity }
}

function presentAcceptance(acceptance: Acceptance | null): ProgramDocument['accepted'] {
	return acceptance && { by: acceptance.name, at: toIso(acceptance.at) }
}
