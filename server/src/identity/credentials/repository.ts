import type { ControlSchema, DatabaseTransaction, Queryable } from '../../platform/database/index.ts'

export type CredentialRow = ControlSchema['credentials']
export type CredentialKindName = 'platform' | 'agent' | 'ingest'

export async function insertCredential(tx: DatabaseTransaction, row: CredentialRow): Promise<void> {
	await tx.insertInto('credentials').values(row).execute()
}

/** Finding the workspace of a secret is the one question that cannot name it. */
export function findCredentialByHash(db: Queryable, hash: string): Promise<CredentialRow | undefined> {
	return db.selectFrom('credentials').selectAll().where('hash', '=', hash).executeTakeFirst()
}

/** For the view, which is told an id only. */
export function findCredentialForView(db: Queryable, id: string): Promise<CredentialRow | undefined> {
	return db.selectFrom('credentials').selectAll().where('id', '=', id).executeTakeFirst()
}

/** For the view: every credential that still opens something. */
export function listUsableCredentials(db: Queryable, nowMs: number): Promise<CredentialRow[]> {
	return db
		.selectFrom('credentials')
		.selectAll()
		.where('revoked_at', 'is', null)
		.where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]))
		.execute()
}

export interface CredentialFilter {
	kinds: readonly CredentialKindName[]
	agentId: string | null
}

function matching(db: Queryable, workspaceId: string, { kinds, agentId }: CredentialFilter) {
	return db
		.selectFrom('credentials')
		.where('workspace_id', '=', workspaceId)
		.where('kind', 'in', [...kinds])
		.$if(agentId !== null, (query) => query.where('agent_id', '=', agentId))
}

export async function countCredentials(
	db: Queryable,
	workspaceId: string,
	filter: CredentialFilter,
): Promise<number> {
	const counted = matching(db, workspaceId, filter).select((eb) => eb.fn.countAll<number>().as('total'))
	return Number((await counted.executeTakeFirstOrThrow()).total)
}

export function listCredentials(
	db: Queryable,
	workspaceId: string,
	filter: CredentialFilter,
	page: { page: number; limit: number; order: 'asc' | 'desc' },
): Promise<CredentialRow[]> {
	return matching(db, workspaceId, filter)
		.selectAll()
		.orderBy('created_at', page.order)
		.orderBy('id', page.order)
		.limit(page.limit)
		.offset((page.page - 1) * page.limit)
		.execute()
}

/** Revokes a live credential and returns its name; undefined when there is none of that id and kind. */
export function revokeCredential(
	tx: DatabaseTransaction,
	workspaceId: string,
	kinds: readonly CredentialKindName[],
	id: string,
	nowMs: number,
): Promise<{ name: string } | undefined> {
	return tx
		.updateTable('credentials')
		.set({ revoked_at: nowMs })
		.where('workspace_id', '=', workspaceId)
		.where('kind', 'in', [...kinds])
		.where('id', '=', id)
		.where('revoked_at', 'is', null)
		.returning('name')
		.executeTakeFirst()
}

export async function hasCredential(
	db: Queryable,
	workspaceId: string,
	kinds: readonly CredentialKindName[],
	id: string,
): Promise<boolean> {
	const found = matching(db, workspaceId, { kinds, agentId: null }).where('id', '=', id).select('id')
	return (await found.executeTakeFirst()) !== undefined
}

export async function touchCredential(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	atMs: number,
): Promise<void> {
	await tx
		.updateTable('credentials')
		.set({ last_used_at: atMs })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

/** Whether the workspace has this agent; its table belongs to the agents area, which imports this one. */
export async function hasAgent(db: Queryable, workspaceId: string, agentId: string): Promise<boolean> {
	const found = db
		.selectFrom('agents')
		.select('id')
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', agentId)
	return (await found.executeTakeFirst()) !== undefined
}
