import type { ApprovalStatus } from '@signalbox/contract'
import type { Database, DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type ApprovalRow = ControlSchema['approvals']
/** With the names of its objects and of the requester: the credential, and for an OAuth client the person. */
export type NamedApproval = ApprovalRow & {
	agent_name: string
	server_name: string
	server_slug: string
	credential_name: string | null
	user_id: string | null
	user_email: string | null
}

export interface ApprovalFilter {
	status?: ApprovalStatus
	agent_uuid?: string
	server_id?: string
}

function named(db: Queryable) {
	return db
		.selectFrom('approvals')
		.innerJoin('agents', 'agents.id', 'approvals.agent_id')
		.innerJoin('mcp_servers', 'mcp_servers.id', 'approvals.server_id')
		.leftJoin('credentials', 'credentials.id', 'approvals.credential_id')
		.leftJoin('users', (join) =>
			join.onRef('users.id', '=', 'credentials.created_by').on('credentials.kind', '=', 'oauth'),
		)
		.selectAll('approvals')
		.select([
			'agents.name as agent_name',
			'mcp_servers.name as server_name',
			'mcp_servers.slug as server_slug',
			'credentials.name as credential_name',
			'users.id as user_id',
			'users.email as user_email',
		])
}

function matching(db: Queryable, workspaceId: string, { status, agent_uuid, server_id }: ApprovalFilter) {
	return named(db)
		.where('approvals.workspace_id', '=', workspaceId)
		.$if(status !== undefined, (query) => query.where('approvals.status', '=', status as string))
		.$if(agent_uuid !== undefined, (query) => query.where('approvals.agent_id', '=', agent_uuid as string))
		.$if(server_id !== undefined, (query) => query.where('approvals.server_id', '=', server_id as string))
}

export async function countApprovals(
	db: Queryable,
	workspaceId: string,
	filter: ApprovalFilter,
): Promise<number> {
	const counted = matching(db, workspaceId, filter)
		.clearSelect()
		.select((eb) => eb.fn.countAll<number>().as('total'))
	return Number((await counted.executeTakeFirstOrThrow()).total)
}

export function listApprovals(
	db: Queryable,
	workspaceId: string,
	filter: ApprovalFilter,
	{ sort, order }: { sort: 'requested_at' | 'expires_at'; order: 'asc' | 'desc' },
	{ page, limit }: { page: number; limit: number },
): Promise<NamedApproval[]> {
	return matching(db, workspaceId, filter)
		.orderBy(`approvals.${sort}`, order)
		.orderBy('approvals.id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
}

export function findApproval(
	db: Queryable,
	workspaceId: string,
	id: string,
): Promise<NamedApproval | undefined> {
	return named(db)
		.where('approvals.workspace_id', '=', workspaceId)
		.where('approvals.id', '=', id)
		.executeTakeFirst()
}

/** The approval from which a call with this key may still get its decision. */
export function findOpen(
	db: Queryable,
	workspaceId: string,
	openKey: string,
): Promise<ApprovalRow | undefined> {
	return db
		.selectFrom('approvals')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('open_key', '=', openKey)
		.executeTakeFirst()
}

/** A current approval of all calls of a tool. */
export async function findStanding(
	db: Queryable,
	workspaceId: string,
	{ agentId, serverId, tool }: { agentId: string; serverId: string; tool: string },
	nowMs: number,
): Promise<string | null> {
	const found = await db
		.selectFrom('approvals')
		.select('id')
		.where('workspace_id', '=', workspaceId)
		.where('agent_id', '=', agentId)
		.where('server_id', '=', serverId)
		.where('tool', '=', tool)
		.where('status', '=', 'approved')
		.where('for_minutes', 'is not', null)
		.where('valid_until', '>', nowMs)
		.executeTakeFirst()
	return found?.id ?? null
}

/** The calls of the same agent and tool that could still be decided about when this one was. */
export function listWaiting(
	tx: DatabaseTransaction,
	{ workspace_id, agent_id, server_id, tool, decided_at }: ApprovalRow,
): Promise<ApprovalRow[]> {
	return tx
		.selectFrom('approvals')
		.selectAll()
		.where('workspace_id', '=', workspace_id)
		.where('agent_id', '=', agent_id)
		.where('server_id', '=', server_id)
		.where('tool', '=', tool)
		.where('status', '=', 'pending')
		.where('expires_at', '>', decided_at)
		.orderBy('id')
		.execute()
}

export async function countPending(db: Queryable, workspaceId: string, agentId: string): Promise<number> {
	const counted = db
		.selectFrom('approvals')
		.select((eb) => eb.fn.countAll<number>().as('total'))
		.where('workspace_id', '=', workspaceId)
		.where('agent_id', '=', agentId)
		.where('status', '=', 'pending')
	return Number((await counted.executeTakeFirstOrThrow()).total)
}

export async function insertApproval(tx: DatabaseTransaction, row: ApprovalRow): Promise<void> {
	await tx.insertInto('approvals').values(row).execute()
}

type Changing = Partial<Omit<ApprovalRow, 'id' | 'workspace_id' | 'agent_id' | 'server_id' | 'tool'>>

/** Changes it if it still has this status and has not been used; false otherwise. */
export async function moveApproval(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	from: ApprovalStatus,
	values: Changing,
): Promise<boolean> {
	const moved = await tx
		.updateTable('approvals')
		.set(values)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.where('status', '=', from)
		.where('used_at', 'is', null)
		.executeTakeFirst()
	return moved.numUpdatedRows === 1n
}

/** Like `moveApproval`, for an approval for a period, which its own call may already have used. */
export async function endApproval(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	status: 'revoked' | 'used' | 'expired',
): Promise<boolean> {
	const ended = await tx
		.updateTable('approvals')
		.set({ status, open_key: null })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.where('status', '=', 'approved')
		.executeTakeFirst()
	return ended.numUpdatedRows === 1n
}

/** Releases its key: from now on the same call needs a new approval. */
export async function closeApproval(tx: DatabaseTransaction, workspaceId: string, id: string): Promise<void> {
	await tx
		.updateTable('approvals')
		.set({ open_key: null })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

/** Across workspaces, for the job: approvals whose time is over. */
export function listOverdue(db: Database, nowMs: number, limit: number): Promise<ApprovalRow[]> {
	return db
		.selectFrom('approvals')
		.selectAll()
		.where((eb) =>
			eb.or([
				eb.and([eb('status', '=', 'pending'), eb('expires_at', '<=', nowMs)]),
				eb.and([eb('status', '=', 'approved'), eb('valid_until', '<=', nowMs)]),
			]),
		)
		.orderBy('id')
		.limit(limit)
		.execute()
}

/** Across workspaces, for the job: deletes final approvals older than this. */
export async function deleteRequestedBefore(db: Database, atMs: number): Promise<void> {
	await db
		.deleteFrom('approvals')
		.where('requested_at', '<', atMs)
		.where('status', 'not in', ['pending', 'approved'])
		.execute()
}
