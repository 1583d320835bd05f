import type { Database, DatabaseTransaction } from '../platform/database/database.ts'
import type { ControlSchema } from '../platform/database/schema.ts'

/** A legacy session as it is stored. */
export interface SessionRow {
	id: string
	workspace_id: string
	agent_id: string
	credential_id: string
	server_id: string | null
	/** JSON: negotiated version, client info and capabilities, log level. */
	state: string
	created_at: number
	last_used_at: number
}

export async function insertSession(db: Database, row: SessionRow): Promise<void> {
	await db.insertInto('mcp_sessions').values(row).execute()
}

export function findSession(db: Database, workspaceId: string, id: string): Promise<SessionRow | undefined> {
	return db
		.selectFrom('mcp_sessions')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

export async function updateSessionState(
	db: Database,
	workspaceId: string,
	id: string,
	state: string,
): Promise<void> {
	await db
		.updateTable('mcp_sessions')
		.set({ state })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

/** One statement for many sessions: the time of their last use need not be exact. */
export async function touchSessions(db: Database, ids: readonly string[], atMs: number): Promise<void> {
	await db.updateTable('mcp_sessions').set({ last_used_at: atMs }).where('id', 'in', ids).execute()
}

export async function deleteSession(db: Database, workspaceId: string, id: string): Promise<void> {
	await db.deleteFrom('mcp_sessions').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

export async function deleteSessionsUnusedSince(db: Database, atMs: number): Promise<void> {
	await db.deleteFrom('mcp_sessions').where('last_used_at', '<', atMs).execute()
}

/** Which of these sessions exist, across workspaces. */
export async function findSessionIds(db: Database, ids: readonly string[]): Promise<string[]> {
	const rows = await db.selectFrom('mcp_sessions').select('id').where('id', 'in', ids).execute()
	return rows.map(({ id }) => id)
}

/** A message to the other processes on the store, sealed. */
export interface PeerMessageRow {
	id: string
	workspace_id: string
	sealed_content: string
	created_at: number
}

export async function insertPeerMessage(tx: DatabaseTransaction, row: PeerMessageRow): Promise<void> {
	await tx.insertInto('mcp_letters').values(row).execute()
}

/** Reads across workspaces: a process reads every message of the store, by the id in the change feed. */
export function findPeerMessage(db: Database, id: string): Promise<PeerMessageRow | undefined> {
	return db.selectFrom('mcp_letters').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function deletePeerMessagesBefore(db: Database, atMs: number): Promise<void> {
	await db.deleteFrom('mcp_letters').where('created_at', '<', atMs).execute()
}

/** Records that a state was used. False if it had been used before. */
export async function insertUsedState(db: Database, row: ControlSchema['mcp_used_states']): Promise<boolean> {
	const inserted = await db
		.insertInto('mcp_used_states')
		.values(row)
		.onConflict((conflict) => conflict.column('id').doNothing())
		.executeTakeFirst()
	return inserted.numInsertedOrUpdatedRows === 1n
}

export async function deleteUsedStatesBefore(db: Database, atMs: number): Promise<void> {
	await db.deleteFrom('mcp_used_states').where('created_at', '<', atMs).execute()
}

type UpstreamSessionRow = ControlSchema['mcp_upstream_sessions']

export function findUpstreamSession(
	db: Database,
	workspaceId: string,
	id: string,
): Promise<UpstreamSessionRow | undefined> {
	return db
		.selectFrom('mcp_upstream_sessions')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

/** Upserts a session; the last writer wins. */
export async function putUpstreamSession(db: Database, row: UpstreamSessionRow): Promise<void> {
	await db
		.insertInto('mcp_upstream_sessions')
		.values(row)
		.onConflict((conflict) => conflict.column('id').doUpdateSet({ sealed_session: row.sealed_session }))
		.execute()
}

/** Replaces the stored session if it is unchanged; false if another process has stored another one. */
export async function replaceUpstreamSession(
	db: Database,
	{ id, workspace_id, sealed_session }: Omit<UpstreamSessionRow, 'session_id' | 'server_id'>,
	before: string,
): Promise<boolean> {
	const { numUpdatedRows } = await db
		.updateTable('mcp_upstream_sessions')
		.set({ sealed_session })
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('sealed_session', '=', before)
		.executeTakeFirst()
	return numUpdatedRows > 0n
}

/** Deletes the row only if it is unchanged: another process may have stored a newer session. */
export async function deleteUpstreamSession(
	db: Database,
	workspaceId: string,
	id: string,
	sealed: string,
): Promise<void> {
	await db
		.deleteFrom('mcp_upstream_sessions')
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.where('sealed_session', '=', sealed)
		.execute()
}

export type ProbedEraRow = ControlSchema['mcp_era_verdicts']

/** Reads across workspaces, for the view. */
export function listProbedEras(db: Database): Promise<ProbedEraRow[]> {
	return db.selectFrom('mcp_era_verdicts').selectAll().execute()
}

/** Reads across workspaces, by the id in the change feed. */
export function findProbedEra(db: Database, id: string): Promise<ProbedEraRow | undefined> {
	return db.selectFrom('mcp_era_verdicts').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function putProbedEra(tx: DatabaseTransaction, row: ProbedEraRow): Promise<void> {
	const { protocol_version, probed_at } = row
	await tx
		.insertInto('mcp_era_verdicts')
		.values(row)
		.onConflict((conflict) => conflict.column('id').doUpdateSet({ protocol_version, probed_at }))
		.execute()
}

export async function deleteProbedErasBefore(db: Database, atMs: number): Promise<void> {
	await db.deleteFrom('mcp_era_verdicts').where('probed_at', '<', atMs).execute()
}
