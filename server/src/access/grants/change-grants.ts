import type { accessGrantOperations, BodyOf } from '@signalbox/contract'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange } from '../../platform/changes.ts'
import { type DatabaseTransaction, duplicateOf } from '../../platform/database/index.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { principalIn, type RequestContext } from '../../platform/http/index.ts'
import { newId } from '../../platform/ids.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { type GrantContext, type NamedTarget, recordChange, targetOrNotFound } from './context.ts'
import { manualSource } from './grant-entry.ts'
import { changedTerms, newTerms } from './grant-terms.ts'
import { columnsOf, type GrantDocument, presentGrant, termsOf } from './present-grant.ts'
import {
	deleteGrant,
	findManualGrant,
	type GrantRow,
	insertGrants,
	listToolsetsBehind,
	updateGrant,
} from './repository.ts'

type Created = BodyOf<(typeof accessGrantOperations)['create']>
type Updated = BodyOf<(typeof accessGrantOperations)['update']>

const readOnly = ['id', 'server_id', 'agent_uuid', 'source', 'created_at', 'updated_at']

export async function createGrant(
	grants: GrantContext,
	request: RequestContext,
	serverId: string,
	body: Created,
): Promise<GrantDocument> {
	const { workspaceId } = principalIn(request)
	const terms = newTerms(body)
	return grants.mutate(async (tx) => {
		const server = await targetOrNotFound(tx, 'mcp_servers', workspaceId, serverId)
		const agent = await targetOrNotFound(tx, 'agents', workspaceId, body.agent_uuid)
		const nowMs = grants.clock.nowMs()
		const row: GrantRow = {
			id: newId(nowMs),
			workspace_id: workspaceId,
			server_id: serverId,
			agent_id: body.agent_uuid,
			source: manualSource,
			...columnsOf(terms),
			created_at: nowMs,
			updated_at: nowMs,
		}
		await insertGrants(tx, [row]).catch(rethrowExisting)
		await recordChange(tx, grants, request, 'access.create', row.id, { agent, server, ...terms })
		await appendChange(tx, 'grant', row.id, grants.clock)
		return presentGrant(row, grants.servers.get(serverId))
	})
}

export async function changeGrant(
	grants: GrantContext,
	request: RequestContext,
	{ id: serverId, agentId }: { id: string; agentId: string },
	body: Updated,
): Promise<GrantDocument> {
	return grants.mutate(async (tx) => {
		const { row, agent, server } = await grantOrNotFound(tx, request, serverId, agentId)
		requireUnchanged(presentGrant(row, undefined))
		refuseChanged(body, presentGrant(row, undefined), readOnly, ['updated_at'])
		const terms = changedTerms(termsOf(row), body)
		const values = { ...columnsOf(terms), updated_at: grants.clock.nowMs() }
		await updateGrant(tx, row.workspace_id, row.id, values)
		await recordChange(tx, grants, request, 'access.update', row.id, { agent, server, ...terms })
		await appendChange(tx, 'grant', row.id, grants.clock)
		return presentGrant({ ...row, ...values }, grants.servers.get(serverId))
	})
}

export async function removeGrant(
	grants: GrantContext,
	request: RequestContext,
	{ id: serverId, agentId }: { id: string; agentId: string },
): Promise<void> {
	await grants.mutate(async (tx) => {
		const { row, agent, server } = await grantOrNotFound(tx, request, serverId, agentId)
		requireUnchanged(presentGrant(row, undefined))
		await deleteGrant(tx, row.workspace_id, row.id)
		await recordChange(tx, grants, request, 'access.delete', row.id, { agent, server })
		await appendChange(tx, 'grant', row.id, grants.clock)
	})
}

async function grantOrNotFound(
	tx: DatabaseTransaction,
	request: RequestContext,
	serverId: string,
	agentId: string,
) {
	const { workspaceId } = principalIn(request)
	const server = await targetOrNotFound(tx, 'mcp_servers', workspaceId, serverId)
	const agent = await targetOrNotFound(tx, 'agents', workspaceId, agentId)
	const row = await findManualGrant(tx, workspaceId, serverId, agentId)
	if (row) return { row, agent, server }
	const toolsets = await listToolsetsBehind(tx, workspaceId, serverId, agentId)
	throw toolsets.length > 0 ? derivedGrant(toolsets) : notFound('access grant')
}

function derivedGrant(toolsets: readonly NamedTarget[]): Problem {
	const names = toolsets.map(({ id, name }) => `${name} (${id})`).join(', ')
	const what = toolsets.length === 1 ? 'the toolset' : 'the toolsets'
	return new Problem('derived_grant', `The agent has this access by ${what} ${names}.`)
}

function rethrowExisting(error: unknown): never {
	if (duplicateOf(error) === null) throw error
	throw new Problem('conflict', 'The agent has access to this server already; change that grant instead.', {
		cause: error,
	})
}
