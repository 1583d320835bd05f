import { accessGrantOperations, type BodyOf, type ProposedChange } from '@signalbox/contract'
import { recordChange } from '../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import type { ChangeFeed } from '../../platform/changes.ts'
import { type DatabaseTransaction, duplicateOf } from '../../platform/database/database.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { newId } from '../../platform/ids.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { deriveGrants } from './derived/derive-grants.ts'
import { explainAccess, readMatrix } from './explain-access.ts'
import { changeOf, type GrantContext, type NamedTarget, targetOrNotFound } from './grant-context.ts'
import { type GrantView, manualSource } from './grant-entry.ts'
import {
	deleteGrant,
	findManualGrant,
	type GrantRow,
	insertGrants,
	listGrantsWithAgents,
	listToolsetsGranting,
	updateGrant,
} from './grant-repository.ts'
import { changedTerms, newTerms } from './grant-terms.ts'
import { createGrantView } from './grant-view.ts'
import {
	type AgentAccess,
	columnsOf,
	type GrantDocument,
	presentAgentAccess,
	presentGrant,
	termsOf,
} from './present-grant.ts'
import { requestRoutes } from './requests/request-routes.ts'
import {
	type HeldGrants,
	listHeld,
	type ProposedPair,
	proposeChanges,
	type Rewrite,
	rewriteGrant,
} from './review/review-grants.ts'
import { toolsetRoutes } from './toolsets/toolsets.ts'

export {
	type AccessDecision,
	type AccessQuery,
	decideAccess,
	decideModelAccess,
	definitionOf,
	matchesModel,
} from './decide-access.ts'
export type { GrantEntry, GrantView } from './grant-entry.ts'
export type { GrantRow } from './grant-repository.ts'
export type { HeldGrants, ProposedPair } from './review/review-grants.ts'
export { uriPattern } from './uri-pattern.ts'

type Created = BodyOf<(typeof accessGrantOperations)['create']>
type Updated = BodyOf<(typeof accessGrantOperations)['update']>

const readOnly = ['id', 'server_id', 'agent_uuid', 'source', 'created_at', 'updated_at']

async function createGrant(
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
		await recordChange(tx, grants, request, changeOf('access.create', row.id, { agent, server, ...terms }))
		return presentGrant(row, grants.servers.get(serverId))
	})
}

async function changeGrant(
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
		await recordChange(tx, grants, request, changeOf('access.update', row.id, { agent, server, ...terms }))
		return presentGrant({ ...row, ...values }, grants.servers.get(serverId))
	})
}

async function removeGrant(
	grants: GrantContext,
	request: RequestContext,
	{ id: serverId, agentId }: { id: string; agentId: string },
): Promise<void> {
	await grants.mutate(async (tx) => {
		const { row, agent, server } = await grantOrNotFound(tx, request, serverId, agentId)
		requireUnchanged(presentGrant(row, undefined))
		await deleteGrant(tx, row.workspace_id, row.id)
		await recordChange(tx, grants, request, changeOf('access.delete', row.id, { agent, server }))
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
	const toolsets = await listToolsetsGranting(tx, workspaceId, serverId, agentId)
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

export function grantRoutes(grants: GrantContext): BoundOperation[] {
	const { db } = grants.store
	return bind(accessGrantOperations, {
		list: async ({ params, context }) => {
			const { workspaceId } = principalIn(context)
			await targetOrNotFound(db, 'mcp_servers', workspaceId, params.id)
			return { access: await accessOf(grants, workspaceId, params.id) }
		},
		create: ({ params, body, context }) => createGrant(grants, context, params.id, body),
		get: async ({ params, context }) => {
			const { workspaceId } = principalIn(context)
			const row = await findManualGrant(db, workspaceId, params.id, params.agentId)
			if (!row) throw notFound('access grant')
			return presentGrant(row, grants.servers.get(row.server_id))
		},
		update: ({ params, body, context }) => changeGrant(grants, context, params, body),
		delete: async ({ params, context }) => void (await removeGrant(grants, context, params)),
		matrix: ({ query, context }) => readMatrix(grants, principalIn(context).workspaceId, query),
		ofAgent: async ({ params, context }) => {
			const { workspaceId } = principalIn(context)
			await targetOrNotFound(db, 'agents', workspaceId, params.id)
			return explainAccess(grants, workspaceId, params.id)
		},
	})
}

/** The grants on a server, in the form of its `agent_access`. */
export async function accessOf(
	{ store }: Pick<GrantContext, 'store'>,
	workspaceId: string,
	serverId: string,
): Promise<AgentAccess[]> {
	return (await listGrantsWithAgents(store.db, workspaceId, serverId)).map(presentAgentAccess)
}

export interface AccessGrants {
	operations: BoundOperation[]
	view: GrantView
	/** The grants on a server, in the form of its `agent_access`. */
	accessOf(workspaceId: string, serverId: string): Promise<AgentAccess[]>
	/** The grants before and after proposed changes, which are not made. Throws as the API would if they were. */
	propose(workspaceId: string, changes: readonly ProposedChange[]): Promise<ProposedPair[]>
	/** The grants that an access review examines. */
	held(workspaceId: string): Promise<HeldGrants>
	/**
	 * Changes a direct grant from one exact state to another; null stands for no grant. Throws `grant_changed` if its state
	 * differs from `from`.
	 */
	rewrite(tx: DatabaseTransaction, request: RequestContext, change: Rewrite): Promise<void>
	/**
	 * Brings the grants that agents have through toolsets in line with their groups, in a transaction that began with
	 * `lockGroups`. The caller appends the agents to the change feed.
	 */
	deriveGrants(tx: DatabaseTransaction, workspaceId: string, agentIds: readonly string[]): Promise<void>
}

export function openAccessGrants({ feed, ...grants }: GrantContext & { feed: ChangeFeed }): AccessGrants {
	const view = createGrantView(grants.store.db)
	feed.add(view)
	return {
		operations: [...grantRoutes(grants), ...toolsetRoutes(grants, view), ...requestRoutes(grants)],
		view,
		accessOf: (workspaceId, serverId) => accessOf(grants, workspaceId, serverId),
		propose: (workspaceId, changes) => proposeChanges(grants, view, workspaceId, changes),
		held: (workspaceId) => listHeld(grants.store.db, workspaceId),
		rewrite: (tx, request, change) => rewriteGrant(tx, grants, request, change),
		deriveGrants: async (tx, workspaceId, agentIds) =>
			void (await deriveGrants(tx, workspaceId, { agentIds }, grants.clock)),
	}
}
