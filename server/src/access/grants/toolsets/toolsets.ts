import { type BodyOf, type OutputOf, toolsetOperations } from '@signalbox/contract'
import { type RequestedChange, recordChange } from '../../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import { toIso } from '../../../platform/clock.ts'
import {
	type DatabaseTransaction,
	duplicateOf,
	lockGroups,
	type Queryable,
} from '../../../platform/database/database.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import { paginate } from '../../../platform/paging.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'
import type { ServerView } from '../../../servers/servers.ts'
import { deriveGrants } from '../derived/derive-grants.ts'
import type { GrantContext } from '../grant-context.ts'
import type { GrantView } from '../grant-entry.ts'
import { toolWarnings } from '../grant-warnings.ts'
import { previewToolset, resolveTools } from './preview-toolset.ts'
import {
	countAgentsOf,
	countToolsets,
	deleteToolset,
	findToolset,
	insertToolset,
	listGroupsIn,
	listToolsets,
	listToolsIn,
	replaceTools,
	replaceToolsetGroups,
	type ToolsetRow,
	updateToolset,
} from './toolset-repository.ts'

export type ToolsetDocument = OutputOf<(typeof toolsetOperations)['get']>

/** Toolsets in the form of the API. */
export async function presentToolsets(
	db: Queryable,
	servers: ServerView,
	workspaceId: string,
	rows: readonly ToolsetRow[],
): Promise<ToolsetDocument[]> {
	const ids = rows.map(({ id }) => id)
	const tools = await listToolsIn(db, workspaceId, ids)
	const groups = await listGroupsIn(db, workspaceId, ids)
	const agents = await countAgentsOf(db, workspaceId, ids)
	return rows.map((row) => ({
		id: row.id,
		name: row.name,
		description: row.description,
		tools: (tools.get(row.id) ?? []).map((of) => ({ server_id: of.serverId, tools: of.tools })),
		groups: groups.get(row.id) ?? [],
		agent_count: agents.get(row.id) ?? 0,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
		warnings: (tools.get(row.id) ?? []).flatMap((of) =>
			toolWarnings(servers.get(of.serverId), 'tools', of.tools),
		),
	}))
}

type Created = BodyOf<(typeof toolsetOperations)['create']>
type Updated = BodyOf<(typeof toolsetOperations)['update']>

const readOnly = ['id', 'agent_count', 'created_at', 'updated_at', 'warnings']
const moving = ['updated_at', 'warnings']

/** A toolset of the workspace. Throws the same 404 for malformed ids and for toolsets of other workspaces. */
export async function toolsetOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<ToolsetRow> {
	const row = await findToolset(db, workspaceId, id)
	if (!row) throw notFound('toolset')
	return row
}

async function createToolset(
	grants: GrantContext,
	request: RequestContext,
	body: Created,
): Promise<ToolsetDocument> {
	const { workspaceId } = principalIn(request)
	const nowMs = grants.clock.nowMs()
	const row: ToolsetRow = {
		id: newId(nowMs),
		workspace_id: workspaceId,
		name: body.name,
		description: body.description ?? '',
		created_at: nowMs,
		updated_at: nowMs,
	}
	return grants.mutate(async (tx) => {
		await lockGroups(tx)
		await insertToolset(tx, row).catch(rethrowNameTaken)
		return applyContent(tx, grants, request, 'toolsets.create', row, body)
	})
}

async function changeToolset(
	grants: GrantContext,
	request: RequestContext,
	id: string,
	body: Updated,
): Promise<ToolsetDocument> {
	const { workspaceId } = principalIn(request)
	return grants.mutate(async (tx) => {
		await lockGroups(tx)
		const before = await toolsetOrNotFound(tx, workspaceId, id)
		const [current] = await presentToolsets(tx, grants.servers, workspaceId, [before])
		requireUnchanged(current as ToolsetDocument)
		refuseChanged(body, current as ToolsetDocument, readOnly, moving)
		const values = {
			name: body.name ?? before.name,
			description: body.description ?? before.description,
			updated_at: grants.clock.nowMs(),
		}
		await updateToolset(tx, workspaceId, id, values).catch(rethrowNameTaken)
		return applyContent(tx, grants, request, 'toolsets.update', { ...before, ...values }, body)
	})
}

async function removeToolset(grants: GrantContext, request: RequestContext, id: string): Promise<void> {
	const { workspaceId } = principalIn(request)
	await grants.mutate(async (tx) => {
		await lockGroups(tx)
		const row = await toolsetOrNotFound(tx, workspaceId, id)
		const [current] = await presentToolsets(tx, grants.servers, workspaceId, [row])
		requireUnchanged(current as ToolsetDocument)
		await deleteToolset(tx, workspaceId, id)
		const { removed } = await deriveGrants(tx, workspaceId, { toolsetId: id }, grants.clock)
		const change = changeOf('toolsets.delete', row, { grants_removed: removed })
		await recordChange(tx, grants, request, change)
	})
}

/** Writes the given tools and groups, and derives the grants again. */
async function applyContent(
	tx: DatabaseTransaction,
	grants: GrantContext,
	request: RequestContext,
	action: string,
	row: ToolsetRow,
	{ tools, groups }: Pick<Created, 'tools' | 'groups'>,
): Promise<ToolsetDocument> {
	const { workspace_id: workspaceId, id } = row
	if (tools) await replaceTools(tx, workspaceId, id, await resolveTools(tx, workspaceId, tools))
	if (groups) await replaceToolsetGroups(tx, workspaceId, id, groups)
	const derived = await deriveGrants(tx, workspaceId, { toolsetId: id }, grants.clock)
	const [document] = await presentToolsets(tx, grants.servers, workspaceId, [row])
	const shown = document as ToolsetDocument
	const change = changeOf(action, row, {
		groups: shown.groups,
		tools: shown.tools,
		grants_added: derived.added,
		grants_changed: derived.changed,
		grants_removed: derived.removed,
	})
	await recordChange(tx, grants, request, change)
	return shown
}

/** A change of a toolset, as it is recorded. */
function changeOf(
	action: string,
	{ id, name }: ToolsetRow,
	detail: Record<string, unknown>,
): RequestedChange {
	return { action, target: { kind: 'toolset', id, name }, detail, viewKind: 'toolset' }
}

function rethrowNameTaken(error: unknown): never {
	if (duplicateOf(error) === null) throw error
	throw new Problem('name_taken', 'A toolset of this name exists already.', { cause: error })
}

export function toolsetRoutes(grants: GrantContext, view: GrantView): BoundOperation[] {
	const { db } = grants.store
	return bind(toolsetOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = principalIn(context)
			const total = await countToolsets(db, workspaceId, query)
			const rows = await listToolsets(db, workspaceId, query, query, query)
			return {
				toolsets: await presentToolsets(db, grants.servers, workspaceId, rows),
				pagination: paginate(query, total),
			}
		},
		create: ({ body, context }) => createToolset(grants, context, body),
		get: async ({ params, context }) => {
			const { workspaceId } = principalIn(context)
			const row = await toolsetOrNotFound(db, workspaceId, params.id)
			const [document] = await presentToolsets(db, grants.servers, workspaceId, [row])
			return document as ToolsetDocument
		},
		update: ({ params, body, context }) => changeToolset(grants, context, params.id, body),
		delete: async ({ params, context }) => void (await removeToolset(grants, context, params.id)),
		preview: async ({ params, body, context }) => {
			const { workspaceId } = principalIn(context)
			const row = await toolsetOrNotFound(db, workspaceId, params.id)
			return previewToolset(grants, view, row, body)
		},
	})
}
