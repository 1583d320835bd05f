import { accessRequestOperations, type BodyOf, type OutputOf } from '@signalbox/contract'
import { actorOf, recordChange } from '../../../accounts/audit/audit.ts'
import { toIso } from '../../../platform/clock.ts'
import { type DatabaseTransaction, duplicateOf, type Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { principalIn, type RequestContext, userIn } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import { paginate } from '../../../platform/paging.ts'
import { findServer } from '../../agents/agent-repository.ts'
import { changeOf, type GrantContext, targetOrNotFound } from '../grant-context.ts'
import { manualSource } from '../grant-entry.ts'
import { findManualGrant, type GrantRow, insertGrants, updateGrant } from '../grant-repository.ts'
import { changedTerms, type GrantTerms, newTerms } from '../grant-terms.ts'
import { columnsOf, termsOf } from '../present-grant.ts'

export function requestRoutes(grants: GrantContext): BoundOperation[] {
	const { db } = grants.store
	return bind(accessRequestOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const total = await countRequests(db, workspaceId, query)
			const rows = await listRequests(db, workspaceId, query, query)
			return { access_requests: rows.map(presentRequest), pagination: paginate(query, total) }
		},
		create: ({ body, context }) => createRequest(grants, context, body),
		get: async ({ params, context }) => {
			const row = await findRequest(db, principalIn(context).workspaceId, params.id)
			if (!row) throw notFound('access request')
			return presentRequest(row)
		},
		grant: ({ params, context }) => grantRequest(grants, context, params.id),
		decline: ({ params, context }) => declineRequest(grants, context, params.id),
	})
}

type RequestDocument = OutputOf<(typeof accessRequestOperations)['get']>

async function createRequest(
	grants: GrantContext,
	request: RequestContext,
	body: BodyOf<(typeof accessRequestOperations)['create']>,
): Promise<RequestDocument> {
	const { workspaceId, userId, email } = userIn(request)
	return grants.mutate(async (tx) => {
		const agent = await targetOrNotFound(tx, 'agents', workspaceId, body.agent_uuid)
		const serverId = (await findServer(tx, workspaceId, body.server))?.id
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

/** Gives the requested access, in one transaction with the decision. */
function grantRequest(grants: GrantContext, request: RequestContext, id: string): Promise<RequestDocument> {
	return grants.mutate(async (tx) => {
		const row = await decide(tx, grants, request, id, 'granted')
		await giveAccess(tx, grants, request, row)
		return note(tx, grants, request, 'grant', id)
	})
}

function declineRequest(grants: GrantContext, request: RequestContext, id: string): Promise<RequestDocument> {
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
	grants: GrantContext,
	request: RequestContext,
	verb: string,
	id: string,
): Promise<RequestDocument> {
	const row = (await findRequest(tx, principalIn(request).workspaceId, id)) as NamedRequest
	const { agent, server, tool, reason } = presentRequest(row)
	const target = { kind: 'access_request', id, name: `${row.agent_name} → ${row.server_name}` }
	const detail = { agent, server, tool, reason }
	await recordChange(tx, grants, request, { action: `access-requests.${verb}`, target, detail })
	return presentRequest(row)
}

function presentRequest(row: NamedRequest): RequestDocument {
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
	throw new Problem('conflict', 'The same request is already pending.', { cause: error })
}

/** Creates the requested grant, or widens the direct one, whose limits stay. Throws `conflict` if that is not in force. */
async function giveAccess(
	tx: DatabaseTransaction,
	grants: GrantContext,
	request: RequestContext,
	asked: NamedRequest,
): Promise<void> {
	const { workspace_id, server_id, agent_id } = asked
	const before = await findManualGrant(tx, workspace_id, server_id, agent_id)
	const nowMs = grants.clock.nowMs()
	if (before) requireInForce(termsOf(before), nowMs)
	const terms = before ? widened(termsOf(before), asked.tool) : termsFor(asked.tool)
	const id = before?.id ?? newId(nowMs)
	const values = { ...columnsOf(terms), updated_at: nowMs }
	if (before) await updateGrant(tx, workspace_id, id, values)
	else {
		const ids = { id, workspace_id, server_id, agent_id, source: manualSource }
		const row: GrantRow = { ...ids, ...values, created_at: nowMs }
		await insertGrants(tx, [row])
	}
	const agent = { id: agent_id, name: asked.agent_name }
	const server = { id: server_id, name: asked.server_name }
	const because = { access_request: asked.id }
	const action = before ? 'access.update' : 'access.create'
	await recordChange(tx, grants, request, changeOf(action, id, { agent, server, ...terms, ...because }))
}

function termsFor(tool: string | null): GrantTerms {
	return newTerms(tool === null ? { access_mode: 'all' } : { allowed_tools: [tool] })
}

/** A disabled or expired grant would be reactivated with everything else that it allows, which was not requested. */
function requireInForce({ enabled, expires_at }: GrantTerms, nowMs: number): void {
	const isOver = expires_at !== null && Date.parse(expires_at) <= nowMs
	if (enabled && !isOver) return
	const state = enabled ? 'has expired' : 'is switched off'
	throw new Problem(
		'conflict',
		`The agent has a grant on this server that ${state}; change that one by hand.`,
	)
}

function widened(before: GrantTerms, tool: string | null): GrantTerms {
	if (tool === null) return changedTerms(before, { access_mode: 'all', allowed_tools: null })
	if (before.access_mode === 'all') return before
	return changedTerms(before, { allowed_tools: [...new Set([...(before.allowed_tools ?? []), tool])] })
}

type RequestRow = ControlSchema['access_requests']
type NamedRequest = RequestRow & { agent_name: string; server_name: string; server_slug: string }

interface RequestFilter {
	status?: string
	agent_uuid?: string
}

function matching(db: Queryable, workspaceId: string, { status, agent_uuid }: RequestFilter) {
	return db
		.selectFrom('access_requests')
		.innerJoin('agents', 'agents.id', 'access_requests.agent_id')
		.innerJoin('mcp_servers', 'mcp_servers.id', 'access_requests.server_id')
		.where('access_requests.workspace_id', '=', workspaceId)
		.$if(status !== undefined, (query) => query.where('access_requests.status', '=', status as string))
		.$if(agent_uuid !== undefined, (query) =>
			query.where('access_requests.agent_id', '=', agent_uuid as string),
		)
}

function named(db: Queryable, workspaceId: string, filter: RequestFilter) {
	return matching(db, workspaceId, filter)
		.selectAll('access_requests')
		.select([
			'agents.name as agent_name',
			'mcp_servers.name as server_name',
			'mcp_servers.slug as server_slug',
		])
}

async function countRequests(db: Queryable, workspaceId: string, filter: RequestFilter): Promise<number> {
	const counted = matching(db, workspaceId, filter).select((eb) => eb.fn.countAll<number>().as('total'))
	return Number((await counted.executeTakeFirstOrThrow()).total)
}

function listRequests(
	db: Queryable,
	workspaceId: string,
	filter: RequestFilter,
	{ page, limit, order }: { page: number; limit: number; order: 'asc' | 'desc' },
): Promise<NamedRequest[]> {
	return named(db, workspaceId, filter)
		.orderBy('access_requests.requested_at', order)
		.orderBy('access_requests.id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
}

function findRequest(db: Queryable, workspaceId: string, id: string): Promise<NamedRequest | undefined> {
	return named(db, workspaceId, {}).where('access_requests.id', '=', id).executeTakeFirst()
}

async function insertRequest(tx: DatabaseTransaction, row: RequestRow): Promise<void> {
	await tx.insertInto('access_requests').values(row).execute()
}

/** Stores the decision about a pending request; false if it is not pending. */
async function decideRequest(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	values: Pick<RequestRow, 'status' | 'decided_by' | 'decided_at'>,
): Promise<boolean> {
	const decided = await tx
		.updateTable('access_requests')
		.set({ ...values, open_key: null })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.where('status', '=', 'pending')
		.executeTakeFirst()
	return decided.numUpdatedRows === 1n
}
