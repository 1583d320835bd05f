import type { Role } from '@signalbox/contract'
import type { Insertable, Selectable } from 'kysely'
import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

export type IdentityRow = ControlSchema['federated_identities']
export type FlowRow = ControlSchema['sign_in_flows']
export type MappedMember = Selectable<ControlSchema['members']>

/** Identities and flows belong to people, who are not part of a workspace. */
export function findIdentity(
	db: Queryable,
	issuer: string,
	subject: string,
): Promise<IdentityRow | undefined> {
	const found = db.selectFrom('federated_identities').selectAll().where('issuer', '=', issuer)
	return found.where('subject', '=', subject).executeTakeFirst()
}

export function listIdentities(db: Queryable, userId: string): Promise<IdentityRow[]> {
	const own = db.selectFrom('federated_identities').selectAll().where('user_id', '=', userId)
	return own.orderBy('created_at').orderBy('id').execute()
}

export async function insertIdentity(tx: DatabaseTransaction, row: IdentityRow): Promise<void> {
	await tx.insertInto('federated_identities').values(row).execute()
}

export async function touchIdentity(tx: DatabaseTransaction, id: string, nowMs: number): Promise<void> {
	await tx.updateTable('federated_identities').set({ last_used_at: nowMs }).where('id', '=', id).execute()
}

export async function deleteIdentity(tx: DatabaseTransaction, userId: string, id: string): Promise<void> {
	await tx.deleteFrom('federated_identities').where('user_id', '=', userId).where('id', '=', id).execute()
}

export async function insertFlow(tx: DatabaseTransaction, row: FlowRow): Promise<void> {
	await tx.insertInto('sign_in_flows').values(row).execute()
}

export async function deleteFlowsBefore(tx: DatabaseTransaction, nowMs: number): Promise<void> {
	await tx.deleteFrom('sign_in_flows').where('expires_at', '<=', nowMs).execute()
}

/** Deletes and returns a flow: it can be used only once. */
export function takeFlow(tx: DatabaseTransaction, stateHash: string): Promise<FlowRow | undefined> {
	return tx.deleteFrom('sign_in_flows').where('state_hash', '=', stateHash).returningAll().executeTakeFirst()
}

/** All memberships of a person, with their sources. */
export function listMembers(db: Queryable, userId: string): Promise<MappedMember[]> {
	return db.selectFrom('members').selectAll().where('user_id', '=', userId).execute()
}

export async function insertMappedMember(
	tx: DatabaseTransaction,
	workspaceId: string,
	row: Omit<Insertable<ControlSchema['members']>, 'workspace_id'>,
): Promise<void> {
	await tx
		.insertInto('members')
		.values({ ...row, workspace_id: workspaceId })
		.execute()
}

export async function updateMappedMember(
	tx: DatabaseTransaction,
	workspaceId: string,
	userId: string,
	values: { role: Role; agent_groups: string },
): Promise<void> {
	const member = tx.updateTable('members').set(values).where('workspace_id', '=', workspaceId)
	await member.where('user_id', '=', userId).execute()
}
