import { appendChange } from '../platform/changes.ts'
import { Problem } from '../platform/errors.ts'
import { type Caller, recordChange, type ServerContext, serverOrNotFound } from './context.ts'
import { deleteServer, listGrantsOf } from './repository.ts'

/** Deletes a server with its tools and grants; while agents have access only by force. */
export async function removeServer(
	servers: ServerContext,
	caller: Caller,
	id: string,
	force: boolean,
): Promise<void> {
	await servers.mutate(async (tx) => {
		const row = await serverOrNotFound(tx, caller.workspaceId, id)
		const grants = await listGrantsOf(tx, caller.workspaceId, id)
		const live = grants.filter(({ enabled }) => enabled === 1).length
		if (live > 0 && !force)
			throw new Problem('grants_exist', `${live} agent(s) still have access to ${row.name}.`)
		await deleteServer(tx, caller.workspaceId, id)
		await recordChange(tx, servers, caller, 'servers.delete', row, { grants: grants.length })
		await appendChange(tx, 'server', id, servers.clock)
		for (const grant of grants) await appendChange(tx, 'grant', grant.id, servers.clock)
	})
}
