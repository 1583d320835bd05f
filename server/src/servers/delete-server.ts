import { requireUnchanged } from '../platform/change-scope.ts'
import { appendChange } from '../platform/changes.ts'
import { Problem } from '../platform/errors.ts'
import { healthJob } from './check-schedule.ts'
import { type Caller, recordChange, type ServerContext, serverOrNotFound } from './context.ts'
import { presentServerFields } from './present-server.ts'
import { deleteServer, listGrantsOf } from './repository.ts'

/** Deletes a server with its tools and grants; while agents have access only by force. */
export async function removeServer(
	servers: ServerContext,
	caller: Caller,
	id: string,
	force: boolean,
): Promise<void> {
	const hosted = await servers.mutate(async (tx) => {
		const row = await serverOrNotFound(tx, caller.workspaceId, id)
		requireUnchanged(presentServerFields(row, servers.sealer))
		const grants = await listGrantsOf(tx, caller.workspaceId, id)
		const live = new Set(grants.flatMap(({ agent_id, enabled }) => (enabled === 1 ? [agent_id] : [])))
		if (live.size > 0 && !force)
			throw new Problem('grants_exist', `${live.size} agent(s) still have access to ${row.name}.`)
		await deleteServer(tx, caller.workspaceId, id)
		await servers.jobs.cancel(tx, healthJob, id)
		await recordChange(tx, servers, caller, 'servers.delete', row, { grants: grants.length })
		await appendChange(tx, 'server', id, servers.clock)
		for (const grant of grants) await appendChange(tx, 'grant', grant.id, servers.clock)
		return row.hosting_mode === 'hosted'
	})
	if (hosted) await servers.programs.stop(id, { erase: true })
}
