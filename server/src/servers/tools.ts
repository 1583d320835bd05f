import { Problem } from '../platform/errors.ts'
import { type Caller, recordChange, type ServerContext, serverOrNotFound } from './context.ts'
import type { HealthChecks } from './health-checks.ts'
import { type HealthDocument, presentHealth, presentTools, type ToolListDocument } from './present-server.ts'
import { listTools } from './tool-definitions/index.ts'

const refreshPatience = { messageMs: 8000, totalMs: 20_000 }
const checkPatience = { messageMs: 3000, totalMs: 10_000 }

export async function readTools(
	{ store }: ServerContext,
	{ workspaceId }: Caller,
	id: string,
): Promise<ToolListDocument> {
	const row = await serverOrNotFound(store.db, workspaceId, id)
	return presentTools(row, await listTools(store.db, workspaceId, id))
}

/** Asks the server for its tools now; 502 when it cannot be reached or does not list them. The answer says when it is not all of them. */
export async function refreshTools(
	servers: ServerContext,
	checks: HealthChecks,
	caller: Caller,
	id: string,
): Promise<ToolListDocument> {
	const row = await serverOrNotFound(servers.store.db, caller.workspaceId, id)
	const outcome = await checks.check(row, refreshPatience, 'now')
	if (outcome instanceof Error)
		throw new Problem(outcome.blocked ? 'blocked_address' : 'upstream_unreachable', outcome.message, {
			cause: outcome,
		})
	if (outcome.toolsFailure !== null)
		throw new Problem('upstream_unreachable', `Its tools could not be listed. ${outcome.toolsFailure}`)
	const count = outcome.tools?.length ?? null
	await servers.mutate((tx) =>
		recordChange(tx, servers, caller, 'servers.refresh-tools', row, { tools: count }),
	)
	return readTools(servers, caller, id)
}

/** Checks the server now. Two failures make it unhealthy, so a first one is followed by a second look at once. */
export async function checkHealth(
	servers: ServerContext,
	checks: HealthChecks,
	{ workspaceId }: Caller,
	id: string,
): Promise<HealthDocument> {
	const { db } = servers.store
	const row = await serverOrNotFound(db, workspaceId, id)
	const first = await checks.check(row, checkPatience, 'only first')
	if (first instanceof Error)
		await checks.check(await serverOrNotFound(db, workspaceId, id), checkPatience, 'only first')
	return presentHealth(await serverOrNotFound(db, workspaceId, id))
}
