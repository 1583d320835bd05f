import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Refreshing does not extend a session: after this time a person must sign in again. */
export const sessionLifetimeMs = 30 * dayMs

/** A session that has not been used for this long has ended too. */
export const idleLimitMs = 14 * dayMs

export type SessionRow = ControlSchema['sessions']

/** A session belongs to a person, who may have several workspaces; it is in one of them at a time. */
export async function insertSession(tx: DatabaseTransaction, row: SessionRow): Promise<void> {
	await tx.insertInto('sessions').values(row).execute()
}

export function findSession(db: Queryable, sessionId: string): Promise<SessionRow | undefined> {
	return db.selectFrom('sessions').selectAll().where('id', '=', sessionId).executeTakeFirst()
}

/** The sessions that are still valid, of everybody or of one person, newest first. */
export function listLiveSessions(db: Queryable, userId: string | null, nowMs: number): Promise<SessionRow[]> {
	return db
		.selectFrom('sessions')
		.selectAll()
		.where('revoked_at', 'is', null)
		.where('expires_at', '>', nowMs)
		.where('last_used_at', '>', nowMs - idleLimitMs)
		.$if(userId !== null, (query) => query.where('user_id', '=', userId as string))
		.orderBy('created_at', 'desc')
		.orderBy('id', 'desc')
		.execute()
}

/** Replaces the refresh token if `hash` is still the current one; false if another request was faster. */
export async function rotateRefresh(
	tx: DatabaseTransaction,
	sessionId: string,
	hash: string,
	successorHash: string,
	nowMs: number,
): Promise<boolean> {
	const result = await tx
		.updateTable('sessions')
		.set({ refresh_hash: successorHash, previous_refresh_hash: hash, rotated_at: nowMs, last_used_at: nowMs })
		.where('id', '=', sessionId)
		.where('refresh_hash', '=', hash)
		.where('revoked_at', 'is', null)
		.executeTakeFirst()
	return result.numUpdatedRows === 1n
}

export async function setSessionWorkspace(
	tx: DatabaseTransaction,
	workspaceId: string,
	sessionId: string,
): Promise<void> {
	await tx.updateTable('sessions').set({ workspace_id: workspaceId }).where('id', '=', sessionId).execute()
}

/** Revokes an active session of a person; false if there is none with that id. */
export async function revokeSession(
	tx: DatabaseTransaction,
	userId: string,
	sessionId: string,
	nowMs: number,
): Promise<boolean> {
	const result = await tx
		.updateTable('sessions')
		.set({ revoked_at: nowMs })
		.where('id', '=', sessionId)
		.where('user_id', '=', userId)
		.where('revoked_at', 'is', null)
		.executeTakeFirst()
	return result.numUpdatedRows === 1n
}

export async function touchSession(tx: DatabaseTransaction, sessionId: string, atMs: number): Promise<void> {
	await tx.updateTable('sessions').set({ last_used_at: atMs }).where('id', '=', sessionId).execute()
}

export function listSigningKeys(db: Queryable): Promise<ControlSchema['signing_keys'][]> {
	return db
		.selectFrom('signing_keys')
		.selectAll()
		.orderBy('created_at', 'desc')
		.orderBy('id', 'desc')
		.execute()
}

export async function deleteSigningKey(tx: DatabaseTransaction, id: string): Promise<void> {
	await tx.deleteFrom('signing_keys').where('id', '=', id).execute()
}

export async function insertSigningKey(
	tx: DatabaseTransaction,
	row: ControlSchema['signing_keys'],
): Promise<void> {
	await tx.insertInto('signing_keys').values(row).execute()
}
