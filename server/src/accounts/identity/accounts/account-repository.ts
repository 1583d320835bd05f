import type { Role } from '@signalbox/contract'
import { lockNumbering } from '../../../platform/changes.ts'
import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import { freeSlug } from '../../../platform/slug.ts'

/** People are not part of a workspace, so these functions take a person where others take a workspace. */
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

/** Takes the lock of sign-ins first, so that none with the old password begins a session while the others are ended. */
export async function setPassword(
	tx: DatabaseTransaction,
	userId: string,
	hash: string,
	nowMs: number,
): Promise<void> {
	await lockNumbering(tx)
	await tx
		.updateTable('users')
		.set({ password_hash: hash, updated_at: nowMs })
		.where('id', '=', userId)
		.execute()
}

export async function setVerified(tx: DatabaseTransaction, userId: string, nowMs: number): Promise<void> {
	await tx.updateTable('users').set({ verified: 1, updated_at: nowMs }).where('id', '=', userId).execute()
}

/** Null: the browser's time zone. */
export async function setTimeZone(
	tx: DatabaseTransaction,
	userId: string,
	timeZone: string | null,
	nowMs: number,
): Promise<void> {
	await tx
		.updateTable('users')
		.set({ time_zone: timeZone, updated_at: nowMs })
		.where('id', '=', userId)
		.execute()
}

/** Stores a workspace under the first free slug; returns the slug. */
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

/** By id, otherwise the oldest with that name. */
export async function findWorkspace(
	db: Queryable,
	idOrName: string,
): Promise<{ id: string; name: string } | undefined> {
	const byId = db.selectFrom('workspaces').select(['id', 'name']).where('id', '=', idOrName)
	return (await byId.executeTakeFirst()) ?? findWorkspaceByName(db, idOrName)
}

/** The oldest workspace with a name. */
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

/** The workspaces of a person, in the order of joining. */
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

/** The roles of everybody, or of one person. */
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

/** Tokens belong to people, who are not part of a workspace. */
export type AccountTokenRow = ControlSchema['account_tokens']

export async function insertAccountToken(tx: DatabaseTransaction, row: AccountTokenRow): Promise<void> {
	await tx.insertInto('account_tokens').values(row).execute()
}

export function findUsableToken(
	db: Queryable,
	hash: string,
	purpose: string,
	nowMs: number,
): Promise<AccountTokenRow | undefined> {
	return db
		.selectFrom('account_tokens')
		.selectAll()
		.where('hash', '=', hash)
		.where('purpose', '=', purpose)
		.where('used_at', 'is', null)
		.where('expires_at', '>', nowMs)
		.executeTakeFirst()
}

/** Marks a token as used; false if another request was faster. */
export async function markUsed(tx: DatabaseTransaction, id: string, nowMs: number): Promise<boolean> {
	const result = await tx
		.updateTable('account_tokens')
		.set({ used_at: nowMs })
		.where('id', '=', id)
		.where('used_at', 'is', null)
		.executeTakeFirst()
	return result.numUpdatedRows === 1n
}

export async function listUnusedTokens(
	tx: DatabaseTransaction,
	userId: string,
	purpose: string,
): Promise<Pick<AccountTokenRow, 'id' | 'hash'>[]> {
	return tx
		.selectFrom('account_tokens')
		.select(['id', 'hash'])
		.where('user_id', '=', userId)
		.where('purpose', '=', purpose)
		.where('used_at', 'is', null)
		.execute()
}

export async function deleteExpiredTokens(db: Queryable, nowMs: number): Promise<void> {
	await db.deleteFrom('account_tokens').where('expires_at', '<=', nowMs).execute()
}

/** Failures are counted before a caller's workspace is known. */
export type FailureRow = ControlSchema['login_failures']

export function listFailures(db: Queryable, keys: readonly string[]): Promise<FailureRow[]> {
	return db.selectFrom('login_failures').selectAll().where('key', 'in', keys).execute()
}

/** Counts one more failure for each key, in one statement; failures before `forgottenBeforeMs` no longer count. */
export async function countFailures(
	db: Queryable,
	keys: readonly string[],
	nowMs: number,
	forgottenBeforeMs: number,
): Promise<void> {
	// Always in the same order, so that two statements cannot deadlock on each other's rows.
	const rows = [...keys].sort().map((key) => ({ key, count: 1, last_at: nowMs }))
	await db
		.insertInto('login_failures')
		.values(rows)
		.onConflict((conflict) =>
			conflict.column('key').doUpdateSet((eb) => ({
				count: eb
					.case()
					.when('login_failures.last_at', '<', forgottenBeforeMs)
					.then(1)
					.else(eb('login_failures.count', '+', 1))
					.end(),
				last_at: nowMs,
			})),
		)
		.execute()
}

export async function forgetFailures(db: Queryable, keys: readonly string[]): Promise<void> {
	await db.deleteFrom('login_failures').where('key', 'in', keys).execute()
}

export async function forgetOldFailures(db: Queryable, forgottenBeforeMs: number): Promise<void> {
	await db.deleteFrom('login_failures').where('last_at', '<', forgottenBeforeMs).execute()
}
