import { appendChange } from '../../../platform/changes.ts'
import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import { Problem } from '../../../platform/errors.ts'
import type { RequestContext } from '../../../platform/http/route.ts'
import { type GrantContext, type NamedTarget, recordChange } from '../grant-context.ts'
import {
	deleteGrant,
	findManualGrant,
	findManualGrantById,
	findTarget,
	type GrantRow,
	insertGrants,
	listManualGrantsIn,
	oldestDerivedBy,
	updateGrant,
} from '../grant-repository.ts'
import { termsOf } from '../present-grant.ts'
import {
	listAllToolsets,
	listToolsIn,
	type ToolsetRow,
	type ToolsOfServer,
} from '../toolsets/toolset-repository.ts'

/** A direct grant in its required state and in its new state; at least one of the two is not null. */
export interface Rewrite {
	from: GrantRow | null
	to: GrantRow | null
	/** The reason, for the audit record. */
	because: Record<string, unknown>
}

/** Changes a grant from one state to another, exactly as given, including its timestamps. */
export async function rewriteGrant(
	tx: DatabaseTransaction,
	grants: GrantContext,
	request: RequestContext,
	{ from, to, because }: Rewrite,
): Promise<void> {
	const row = (from ?? to) as GrantRow
	const server = await targetOf(tx, 'mcp_servers', row.workspace_id, row.server_id)
	const agent = await targetOf(tx, 'agents', row.workspace_id, row.agent_id)
	await requireState(tx, from, row)
	if (to === null) await deleteGrant(tx, row.workspace_id, row.id)
	else if (from === null) await insertGrants(tx, [to])
	else await updateGrant(tx, row.workspace_id, row.id, valuesOf(to))
	const action = to === null ? 'access.delete' : from === null ? 'access.create' : 'access.update'
	const terms = to ? termsOf(to) : {}
	await recordChange(tx, grants, request, action, row.id, { agent, server, ...terms, ...because })
	await appendChange(tx, 'grant', row.id, grants.clock)
}

async function targetOf(
	tx: DatabaseTransaction,
	table: 'agents' | 'mcp_servers',
	workspaceId: string,
	id: string,
): Promise<NamedTarget> {
	const target = await findTarget(tx, table, workspaceId, id)
	if (target) return target
	throw new Problem('grant_changed', `The ${table === 'agents' ? 'agent' : 'server'} ${id} is gone.`)
}

/** Throws `grant_changed` with the names of the fields that differ. */
async function requireState(tx: DatabaseTransaction, from: GrantRow | null, row: GrantRow): Promise<void> {
	const found = from
		? await findManualGrantById(tx, row.workspace_id, row.id)
		: await findManualGrant(tx, row.workspace_id, row.server_id, row.agent_id)
	const which = `The grant ${row.id} of the agent ${row.agent_id} on the server ${row.server_id}`
	if (!from && found) throw new Problem('grant_changed', `${which} was granted again since.`)
	if (!from) return
	if (!found) throw new Problem('grant_changed', `${which} was taken away since.`)
	const differing = differencesOf(from, found)
	if (differing.length > 0)
		throw new Problem('grant_changed', `${which} was changed since: ${differing.join(', ')}.`)
}

function differencesOf(before: GrantRow, now: GrantRow): string[] {
	const columns = Object.keys(before) as (keyof GrantRow)[]
	// PostgreSQL returns large integers as text in some places, so values are compared as text.
	return columns.filter((column) => String(before[column]) !== String(now[column]))
}

function valuesOf({ id, workspace_id, server_id, agent_id, source, created_at, ...values }: GrantRow) {
	return values
}

/** The grants of a workspace, with the data that decides whether they are needed. */
export interface HeldGrants {
	/** Direct grants. */
	manual: GrantRow[]
	toolsets: HeldToolset[]
	/** Agents with derived grants, and when the oldest of these was created, in milliseconds since 1970. */
	derivedSinceMs: Map<string, number>
}

interface HeldToolset extends ToolsetRow {
	tools: ToolsOfServer[]
	/** When the oldest grant derived from it was created; null if there is none. */
	givenSinceMs: number | null
}

export async function listHeld(db: Queryable, workspaceId: string): Promise<HeldGrants> {
	const rows = await listAllToolsets(db, workspaceId)
	const tools = await listToolsIn(
		db,
		workspaceId,
		rows.map(({ id }) => id),
	)
	const givenSince = await oldestDerivedBy(db, workspaceId, 'source')
	return {
		manual: await listManualGrantsIn(db, workspaceId),
		toolsets: rows.map((row) => ({
			...row,
			tools: tools.get(row.id) ?? [],
			givenSinceMs: givenSince.get(row.id) ?? null,
		})),
		derivedSinceMs: await oldestDerivedBy(db, workspaceId, 'agent_id'),
	}
}
