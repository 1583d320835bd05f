import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type GrantRow = ControlSchema['oauth_grants']

/** A grant with names for display. */
export interface NamedGrant extends GrantRow {
	email: string
	agent_name: string
	last_used_at: number | null
}

export async function insertGrant(tx: DatabaseTransaction, row: GrantRow): Promise<void> {
	await tx.insertInto('oauth_grants').values(row).execute()
}

/** Records that a person answered a request; false if it was answered before. */
export async function insertAnswered(
	tx: DatabaseTransaction,
	id: string,
	expiresAtMs: number,
): Promise<boolean> {
	const result = await tx
		.insertInto('answered_authorizations')
		.values({ id, expires_at: expiresAtMs })
		.onConflict((conflict) => conflict.column('id').doNothing())
		.executeTakeFirst()
	return result.numInsertedOrUpdatedRows === 1n
}

/** Deletes answered requests that have expired anyway. */
export async function deleteAnswered(tx: DatabaseTransaction, nowMs: number): Promise<void> {
	await tx.deleteFrom('answered_authorizations').where('expires_at', '<', nowMs).execute()
}

/** Deletes consents whose code was never exchanged, and grants that ended long ago. */
export async function deleteEndedGrants(
	tx: DatabaseTransaction,
	nowMs: number,
	keptMs: number,
): Promise<void> {
	await tx
		.deleteFrom('oauth_grants')
		.where((eb) =>
			eb.or([
				eb.and([eb('refresh_hash', 'is', null), eb('code_expires_at', '<', nowMs)]),
				eb('expires_at', '<', nowMs - keptMs),
				eb('revoked_at', '<', nowMs - keptMs),
			]),
		)
		.execute()
}

/** Across workspaces: the workspace of a code is what this query finds out. */
export function findGrantByCode(db: Queryable, codeHash: string): Promise<GrantRow | undefined> {
	return db.selectFrom('oauth_grants').selectAll().where('code_hash', '=', codeHash).executeTakeFirst()
}

/** Across workspaces: a refresh token names its grant, but no workspace. */
export function findGrantByToken(db: Queryable, id: string): Promise<GrantRow | undefined> {
	return db.selectFrom('oauth_grants').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Consumes a code; false if it has been consumed. */
export async function redeemCode(
	tx: DatabaseTransaction,
	{ workspace_id, id }: GrantRow,
	refreshHash: string,
	nowMs: number,
): Promise<boolean> {
	const result = await tx
		.updateTable('oauth_grants')
		.set({ refresh_hash: refreshHash, refreshed_at: nowMs })
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('refresh_hash', 'is', null)
		.where('revoked_at', 'is', null)
		.executeTakeFirst()
	return result.numUpdatedRows === 1n
}

/** Replaces the current refresh token by its successor; false if it is not the current one. */
export async function rotateRefreshToken(
	tx: DatabaseTransaction,
	{ workspace_id, id }: GrantRow,
	presentHash: string,
	successorHash: string,
	nowMs: number,
): Promise<boolean> {
	const result = await tx
		.updateTable('oauth_grants')
		.set({ refresh_hash: successorHash, previous_refresh_hash: presentHash, refreshed_at: nowMs })
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('refresh_hash', '=', presentHash)
		.where('revoked_at', 'is', null)
		.executeTakeFirst()
	return result.numUpdatedRows === 1n
}

/** Ends a grant for good; false if it has ended or does not exist. */
export async function endGrant(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	nowMs: number,
): Promise<boolean> {
	const result = await tx
		.updateTable('oauth_grants')
		.set({ revoked_at: nowMs })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.where('revoked_at', 'is', null)
		.executeTakeFirst()
	return result.numUpdatedRows === 1n
}

/** A person's connected clients, and consents whose code is not exchanged yet. */
export function listLiveGrantsOf(db: Queryable, workspaceId: string, userId: string): Promise<GrantRow[]> {
	return db
		.selectFrom('oauth_grants')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('user_id', '=', userId)
		.where('revoked_at', 'is', null)
		.execute()
}

export interface GrantFilter {
	/** Null for the grants of all people. */
	userId: string | null
	agentId?: string | undefined
	status?: 'active' | 'revoked' | 'expired' | undefined
}

export interface GrantPage {
	page: number
	limit: number
	sort: 'created_at' | 'expires_at'
	order: 'asc' | 'desc'
}

function matching(
	db: Queryable,
	workspaceId: string,
	{ userId, agentId, status }: GrantFilter,
	nowMs: number,
) {
	return db
		.selectFrom('oauth_grants as grant')
		.where('grant.workspace_id', '=', workspaceId)
		.where('grant.refresh_hash', 'is not', null)
		.$if(userId !== null, (query) => query.where('grant.user_id', '=', userId))
		.$if(agentId !== undefined, (query) => query.where('grant.agent_id', '=', agentId as string))
		.$if(status === 'revoked', (query) => query.where('grant.revoked_at', 'is not', null))
		.$if(status !== undefined && status !== 'revoked', (query) =>
			query
				.where('grant.revoked_at', 'is', null)
				.where('grant.expires_at', status === 'active' ? '>' : '<=', nowMs),
		)
}

/** Clients that were connected. Consents whose code was never exchanged do not count. */
export async function listGrants(
	db: Queryable,
	workspaceId: string,
	filter: GrantFilter,
	{ page, limit, sort, order }: GrantPage,
	nowMs: number,
): Promise<{ rows: NamedGrant[]; total: number }> {
	const own = matching(db, workspaceId, filter, nowMs)
	const counted = await own.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
	const rows = await own
		.innerJoin('users', 'users.id', 'grant.user_id')
		.innerJoin('agents', 'agents.id', 'grant.agent_id')
		.leftJoin('credentials', 'credentials.id', 'grant.id')
		.selectAll('grant')
		.select(['users.email', 'agents.name as agent_name', 'credentials.last_used_at'])
		.orderBy(`grant.${sort}`, order)
		.orderBy('grant.id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	return { rows, total: Number(counted.total) }
}

/** A grant of the workspace; only this person's, unless `userId` is null. */
export function findGrant(
	db: Queryable,
	workspaceId: string,
	id: string,
	userId: string | null,
): Promise<GrantRow | undefined> {
	return matching(db, workspaceId, { userId }, 0)
		.selectAll('grant')
		.where('grant.id', '=', id)
		.executeTakeFirst()
}

/** A person's personal agent, or undefined before its first use. */
export async function findPersonalAgent(
	db: Queryable,
	workspaceId: string,
	userId: string,
): Promise<string | undefined> {
	const found = db
		.selectFrom('personal_agents')
		.select('agent_id')
		.where('workspace_id', '=', workspaceId)
		.where('user_id', '=', userId)
	return (await found.executeTakeFirst())?.agent_id
}

export async function insertPersonalAgent(
	tx: DatabaseTransaction,
	workspaceId: string,
	userId: string,
	agentId: string,
): Promise<void> {
	await tx
		.insertInto('personal_agents')
		.values({ workspace_id: workspaceId, user_id: userId, agent_id: agentId })
		.execute()
}

/** The name for a person's new agent, and the groups that their sign-in provider gives to their agents. */
export function findMember(
	db: Queryable,
	workspaceId: string,
	userId: string,
): Promise<{ name: string; agent_groups: string } | undefined> {
	return db
		.selectFrom('members')
		.innerJoin('users', 'users.id', 'members.user_id')
		.select(['users.name', 'members.agent_groups'])
		.where('members.workspace_id', '=', workspaceId)
		.where('members.user_id', '=', userId)
		.executeTakeFirst()
}
