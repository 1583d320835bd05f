import type { accessRequestOperations, BodyOf, OutputOf } from '@signalbox/contract'
import { actorOf } from '../../../accounts/audit/index.ts'
import { toIso } from '../../../platform/clock.ts'
import { type DatabaseTransaction, duplicateOf } from '../../../platform/database/index.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { principalIn, type RequestContext, userIn } from '../../../platform/http/index.ts'
import { newId } from '../../../platform/ids.ts'
import { type GrantContext, targetOrNotFound } from '../context.ts'
import { giveAccess } from './give-access.ts'
import { decideRequest, findRequest, findServerId, insertRequest, type NamedRequest } from './repository.ts'

export type RequestDocument = OutputOf<(typeof accessRequestOperations)['get']>

export async function createRequest(
	grants: GrantContext,
	request: RequestContext,
	body: BodyOf<(typeof accessRequestOperations)['create']>,
): Promise<RequestDocument> {
	const { workspaceId, userId, email } = userIn(request)
	return grants.mutate(async (tx) => {
		const agent = await targetOrNotFound(tx, 'agents', workspaceId, body.agent_uuid)
		const serverId = await findServerId(tx, workspaceId, body.server)
		if (serverId === undefined) throw notFound('MCP server')
		const nowMs = grants.clock.nowMs()
		const tool = body.tool ?? null
		const row = {
			...{ id: newId(nowMs), workspace_id: workspaceId, agent_id: agent.id, server_id: serverId, tool },
			open_key: JSON.stringify([agent.id, serverId, tool]),
			reason: body.reason ?? '',
			...{ status: 'pending', requested_by_id: userId, requested_by_name: email, requested_at: nowMs },
			...{ decided_by: null, decided_at: null },
		}
		await insertRequest(tx, row).catch(rethrowWaiting)
		return note(tx, grants, request, 'create', row.id)
	})
}

/** Gives what was asked for, in one transaction with the decision. */
export function grantRequest(
	grants: GrantContext,
	request: RequestContext,
	id: string,
): Promise<RequestDocument> {
	return grants.mutate(async (tx) => {
		const row = await decide(tx, grants, request, id, 'granted')
		await giveAccess(tx, grants, request, row)
		return note(tx, grants, request, 'grant', id)
	})
}

export function declineRequest(
	grants: GrantContext,
	request: RequestContext,
	id: string,
): Promise<RequestDocument> {
	return grants.mutate(async (tx) => {
		await decide(tx, grants, request, id, 'declined')
		return note(tx, grants, request, 'decline', id)
	})
}

async function decide(
	tx: DatabaseTransaction,
	{ clock }: GrantContext,
	request: RequestContext,
	id: string,
	status: 'granted' | 'declined',
): Promise<NamedRequest> {
	const principal = principalIn(request)
	const row = await findRequest(tx, principal.workspaceId, id)
	if (!row) throw notFound('access request')
	const values = { status, decided_by: actorOf(principal).name, decided_at: clock.nowMs() }
	if (!(await decideRequest(tx, principal.workspaceId, id, values)))
		throw new Problem('conflict', `The request is ${row.status} already.`)
	return row
}

async function note(
	tx: DatabaseTransaction,
	{ audit }: GrantContext,
	request: RequestContext,
	verb: string,
	id: string,
): Promise<RequestDocument> {
	const principal = principalIn(request)
	const row = (await findRequest(tx, principal.workspaceId, id)) as NamedRequest
	const { agent, server, tool, reason } = presentRequest(row)
	await audit.record(tx, {
		workspaceId: principal.workspaceId,
		actor: actorOf(principal),
		action: `access-requests.${verb}`,
		target: { kind: 'access_request', id, name: `${row.agent_name} → ${row.server_name}` },
		detail: { agent, server, tool, reason },
		requestId: request.requestId,
	})
	return presentRequest(row)
}

export function presentRequest(row: NamedRequest): RequestDocument {
	return {
		id: row.id,
		agent: { uuid: row.agent_id, name: row.agent_name },
		server: { id: row.server_id, name: row.server_name, slug: row.server_slug },
		tool: row.tool,
		reason: row.reason,
		status: row.status as RequestDocument['status'],
		requested_by: { id: row.requested_by_id, name: row.requested_by_name },
		requested_at: toIso(row.requested_at),
		decided_by: row.decided_by,
		decided_at: row.decided_at === null ? null : toIso(row.decided_at),
	}
}

function rethrowWaiting(error: unknown): never {
	if (duplicateOf(error) === null) throw error
	throw new Problem('conflict', 'The same request waits already.', { cause: error })
}
