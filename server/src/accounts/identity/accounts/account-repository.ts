import type { Role } from '@signalbox/contract'
import type { ControlSchema, DatabaseTransaction, Queryable } from '../../../platform/database/index.ts'
import { freeSlug } from '../../../platform/slug.ts'

/** People stand above workspaces, so these functions take a person where others take a workspace. */
export type UserRow = ControlSchema['users']
export interface Membership {
	id: string
	name: string
	slug: string
	role: Role
}

export async function hasOperator(db: Queryable): Promise<boolean> {
	const row = await db.selectFrom('users').select('id').where('operator', '=', 1).limit(1).executeTakeFirst()
	return row !== undefined
}

export function findUserByEmail(db: Queryable, email: string): Promise<UserRow | undefined> {
	return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

export function findUser(db: Queryable, userId: string): Promise<UserRow | undefined> {
	return db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst()
}

export function listUsers(db: Queryable): Promise<Pick<UserRow, 'id' | 'email' | 'operator'>[]> {
	return db.selectFrom('users').select(['id', 'email', 'operator']).execute()
}

export async function insertUser(tx: DatabaseTransaction, row: UserRow): Promise<void> {
	await tx.insertInto('users').values(row).execute()
}

export async function setPassword(
	tx: DatabaseTransaction,
	userId: string,
	hash: string,
	nowMs: number,
): Promise<void> {
	await tx
		.updateTable('users')
		.set({ password_hash: hash, updated_at: nowMs })
		.where('id', '=', userId)
		.execute()
}

export async function setVerified(tx: DatabaseTransaction, userId: string, nowMs: number): Promise<void> {
	await tx.updateTable('users').set({ verified: 1, updated_at: nowMs }).where('id', '=', userId).execute()
}

/** Stores a workspace under the first free short name; returns that. */
export async function insertWorkspace(
	tx: DatabaseTransaction,
	{ stdio, ...workspace }: { id: string; name: string; stdio: boolean },
	nowMs: number,
): Promise<string> {
	const row = { ...workspace, stdio_allowed: stdio ? 1 : 0, created_at: nowMs, updated_at: nowMs }
	const taken = new Set<string>()
	for (;;) {
		const slug = freeSlug(workspace.name, taken, 'workspace')
		const { numInsertedOrUpdatedRows } = await tx
			.insertInto('workspaces')
			.values({ ...row, slug })
			.onConflict((conflict) => conflict.column('slug').doNothing())
			.executeTakeFirstOrThrow()
		if (numInsertedOrUpdatedRows) return slug
		taken.add(slug)
	}
}

/** By id, else the oldest of that name. */
export async function findWorkspace(
	db: Queryable,
	idOrName: string,
): Promise<{ id: string; name: string } | undefined> {
	const byId = db.selectFrom('workspaces').select(['id', 'name']).where('id', '=', idOrName)
	return (await byId.executeTakeFirst()) ?? findWorkspaceByName(db, idOrName)
}

/** The oldest workspace of a name. */
export function findWorkspaceByName(
	db: Queryable,
	name: string,
): Promise<{ id: string; name: string } | undefined> {
	const named = db.selectFrom('workspaces').select(['id', 'name']).where('name', '=', name)
	return named.orderBy('created_at').orderBy('id').limit(1).executeTakeFirst()
}

export async function insertMember(
	tx: DatabaseTransaction,
	workspaceId: string,
	member: { userId: string; role: Role },
	nowMs: number,
): Promise<void> {
	await tx
		.insertInto('members')
		.values({ workspace_id: workspaceId, user_id: member.userId, role: member.role, created_at: nowMs })
		.execute()
}

/** The workspaces of a person, the first joined first. */
export async function listMemberships(db: Queryable, userId: string): Promise<Membership[]> {
	const rows = await db
		.selectFrom('members')
		.innerJoin('workspaces', 'workspaces.id', 'members.workspace_id')
		.select(['workspaces.id', 'workspaces.name', 'workspaces.slug', 'members.role'])
		.where('members.user_id', '=', userId)
		.orderBy('members.created_at')
		.orderBy('workspaces.id')
		.execute()
	return rows.map((row) => ({ ...row, role: row.role as Role }))
}

/** Every role of everybody, or of one person. */
export function listRoles(
	db: Queryable,
	userId: string | null,
): Promise<{ user_id: string; workspace_id: string; role: string }[]> {
	return db
		.selectFrom('members')
		.select(['user_id', 'workspace_id', 'role'])
		.$if(userId !== null, (query) => query.where('user_id', '=', userId as string))
		.execute()
}
