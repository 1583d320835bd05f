import type { OutputOf, programOperations } from '@signalbox/contract'
import { appendChange } from '../platform/changes.ts'
import { toIso } from '../platform/clock.ts'
import type { DatabaseTransaction } from '../platform/database/database.ts'
import { notFound } from '../platform/errors.ts'
import type { RunningJob } from '../platform/jobs/job.ts'
import { scheduleCheck } from './check-server.ts'
import {
	type Acceptance,
	type ProgramWithAcceptance,
	parsePackageCommand,
	programSpecOf,
} from './program-spec-of.ts'
import { type InstalledPackage, InstallFailure } from './programs/index.ts'
import { malformed, requireProgramRight } from './programs.ts'
import { type Caller, recordChange, type ServerContext, serverOrNotFound } from './server-context.ts'
import { findServerForView, type ServerRow, updateServer } from './server-repository.ts'

const installJob = 'program-install'

/** Downloads run as jobs, one at a time per server, and resume after a restart. */
export function handleInstalls(servers: ServerContext): void {
	servers.jobs.handle(installJob, (job) => runInstall(servers, job), { leaseMs: 240_000, concurrency: 2 })
}

/** Call it in the transaction that created the program. Does nothing for a command that is not a package. */
export async function scheduleInstall(
	tx: DatabaseTransaction,
	{ jobs }: ServerContext,
	row: Pick<ServerRow, 'id' | 'workspace_id' | 'status'>,
): Promise<void> {
	if (row.status === 'deploying')
		await jobs.enqueue(tx, { kind: installJob, key: row.id, workspaceId: row.workspace_id })
}

/** Downloads the package of a program again. */
export async function requestInstall(
	servers: ServerContext,
	caller: Caller,
	id: string,
): Promise<ProgramDocument> {
	const row = await changeHosted(servers, caller, id, 'servers.install-program', async (before, tx) => {
		requireProgramRight(servers, caller)
		const wanted = packageOf(before)
		if (!wanted) throw malformed('/command', 'names no package of the npm registry')
		await scheduleInstall(tx, servers, { ...before, status: 'deploying' })
		return { values: { status: 'deploying' }, detail: { package: `${wanted.name}@${wanted.range}` } }
	})
	return presentProgram(servers, row)
}

function packageOf({ command, args }: ServerRow) {
	return parsePackageCommand(command, JSON.parse(args) as string[])
}

async function runInstall(servers: ServerContext, job: RunningJob): Promise<void> {
	const { store, programs, mayRunPrograms } = servers
	const row = await findServerForView(store.db, job.key)
	const wanted = row && packageOf(row)
	if (!wanted || row.status !== 'deploying' || !mayRunPrograms(row.workspace_id)) return
	const outcome = await programs.install(row.id, wanted, job.signal).catch((error: unknown) => {
		if (error instanceof InstallFailure && !job.signal.aborted) return error
		throw error
	})
	await job.commit((tx) => noteInstall(tx, servers, row, outcome))
}

/** The result is discarded if the program was changed meanwhile: that change has its own installation. */
async function noteInstall(
	tx: DatabaseTransaction,
	servers: ServerContext,
	asked: ServerRow,
	outcome: InstalledPackage | InstallFailure,
): Promise<void> {
	const row = await findServerForView(tx, asked.id)
	if (row?.status !== 'deploying' || row.command !== asked.command || row.args !== asked.args) return
	const values =
		outcome instanceof InstallFailure
			? { status: 'error', last_error: outcome.message }
			: { status: 'active', last_error: null, package: JSON.stringify(outcome), health_status: 'unknown' }
	await updateServer(tx, row.workspace_id, row.id, values)
	await scheduleCheck(tx, servers, { ...row, ...values })
	await appendChange(tx, 'server', row.id, servers.clock)
}

/** One change of a hosted server: its columns, the audit record, and a check of the new program. */
export function changeHosted(
	servers: ServerContext,
	caller: Caller,
	id: string,
	action: string,
	change: (
		row: ServerRow,
		tx: DatabaseTransaction,
	) => Promise<{ values: Partial<ServerRow>; detail: Record<string, unknown> }>,
): Promise<ServerRow> {
	return servers.mutate(async (tx) => {
		const before = await hostedOrNotFound(tx, caller.workspaceId, id)
		const { values, detail } = await change(before, tx)
		const changed = { ...values, updated_at: servers.clock.nowMs() }
		await updateServer(tx, caller.workspaceId, id, changed)
		const row = { ...before, ...changed }
		await scheduleCheck(tx, servers, row)
		await recordChange(tx, servers, caller, action, row, detail)
		await appendChange(tx, 'server', id, servers.clock)
		return row
	})
}

export type ProgramDocument = OutputOf<(typeof programOperations)['get']>

/** A hosted server; 404 for one with a URL, which has no program. */
export async function hostedOrNotFound(
	db: Parameters<typeof serverOrNotFound>[0],
	workspaceId: string,
	id: string,
): Promise<ServerRow> {
	const row = await serverOrNotFound(db, workspaceId, id)
	if (row.hosting_mode !== 'hosted') throw notFound('program')
	return row
}

type AcceptanceInputs = Pick<ServerContext, 'programs' | 'sealer'>

/**
 * The program of a hosted server. If its environment does not open (another master key), it has no fingerprint and does not start.
 */
export function programWithAcceptance(
	{ programs, sealer }: AcceptanceInputs,
	row: ServerRow,
): Pick<ProgramWithAcceptance, 'fingerprint' | 'acceptance'> {
	try {
		return programSpecOf(row, sealer, programs.readable) as ProgramWithAcceptance
	} catch {
		return { fingerprint: '', acceptance: null }
	}
}

/**
 * What a person types to let a program start in its current state. It contains the fingerprint, so that nobody accepts what they
 * did not see.
 */
export function acceptanceSentence(servers: AcceptanceInputs, row: ServerRow): string {
	const program = `the program of ${row.name} (${programWithAcceptance(servers, row).fingerprint.slice(0, 12)})`
	return servers.programs.sandbox().kind === 'none'
		? `I accept that ${program} runs without a sandbox, with everything that Signalbox itself may do on this machine.`
		: `I accept that ${program} runs in its sandbox.`
}

export function presentProgram(servers: AcceptanceInputs, row: ServerRow): ProgramDocument {
	const { programs } = servers
	const { fingerprint, acceptance } = programWithAcceptance(servers, row)
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
		package: presentPackage(row),
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

function presentPackage(row: ServerRow): ProgramDocument['package'] {
	if (row.package === null) return null
	const { name, version, integrity } = JSON.parse(row.package) as InstalledPackage
	return { name, version, integrity }
}

function presentAcceptance(acceptance: Acceptance | null): ProgramDocument['accepted'] {
	return acceptance && { by: acceptance.name, at: toIso(acceptance.at) }
}
