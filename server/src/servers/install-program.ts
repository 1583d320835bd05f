import { appendChange } from '../platform/changes.ts'
import type { DatabaseTransaction } from '../platform/database/index.ts'
import type { RunningJob } from '../platform/jobs/index.ts'
import { changeHosted } from './change-hosted.ts'
import { scheduleCheck } from './check-schedule.ts'
import { parsePackageCommand } from './package-command.ts'
import { type ProgramDocument, presentProgram } from './present-program.ts'
import { type InstalledPackage, InstallFailure } from './programs/index.ts'
import { malformed, requireProgramRight } from './programs.ts'
import type { Caller, ServerContext } from './server-context.ts'
import { findServerForView, type ServerRow, updateServer } from './server-repository.ts'

const installJob = 'program-install'

/** Downloads happen in jobs of their own, one at a time for a server, and go on after a restart. */
export function handleInstalls(servers: ServerContext): void {
	servers.jobs.handle(installJob, (job) => runInstall(servers, job), { leaseMs: 240_000, concurrency: 2 })
}

/** In the transaction that made the program; nothing for a command that names no package. */
export async function scheduleInstall(
	tx: DatabaseTransaction,
	{ jobs }: ServerContext,
	row: Pick<ServerRow, 'id' | 'workspace_id' | 'status'>,
): Promise<void> {
	if (row.status === 'deploying')
		await jobs.enqueue(tx, { kind: installJob, key: row.id, workspaceId: row.workspace_id })
}

/** Has the package of a program downloaded anew. */
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

/** Nothing is noted of a program that was changed in the meantime: that change has an installation of its own. */
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
