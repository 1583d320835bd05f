import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

export type RequestRow = ControlSchema['access_requests']
export type NamedRequest = RequestRow & { agent_name: string; server_name: string; server_slug: string }

export interface RequestFilter {
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

export async function countRequests(
	db: Queryable,
	workspaceId: string,
	filter: RequestFilter,
): Promise<number> {
	const counted = matching(db, workspaceId, filter).select((eb) => eb.fn.countAll<number>().as('total'))
	return Number((await counted.executeTakeFirstOrThrow()).total)
}

export function listRequests(
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

export function findRequest(
	db: Queryable,
	workspaceId: string,
	id: string,
): Promise<NamedRequest | undefined> {
	return named(db, workspaceId, {}).where('access_requests.id', '=', id).executeTakeFirst()
}

export async function insertRequest(tx: DatabaseTransaction, row: RequestRow): Promise<void> {
	await tx.insertInto('access_requests').values(row).execute()
}

/** Stores the decision about a pending request; false if it is not pending. */
export async function decideRequest(
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
