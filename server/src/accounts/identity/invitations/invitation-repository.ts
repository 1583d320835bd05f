import type { Role } from '@signalbox/contract'
import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import type { Page } from '../../../platform/paging.ts'

export type InvitationRow = ControlSchema['invitations']
/** With the e-mail address of the inviter, if that person still exists. */
export type ShownInvitation = InvitationRow & { inviter: string | null }

export async function insertInvitation(tx: DatabaseTransaction, row: InvitationRow): Promise<void> {
	await tx.insertInto('invitations').values(row).execute()
}

/** Neither accepted nor revoked, but possibly expired. */
function unused(db: Queryable, workspaceId: string) {
	return db
		.selectFrom('invitations')
		.where('invitations.workspace_id', '=', workspaceId)
		.where('accepted_at', 'is', null)
		.where('revoked_at', 'is', null)
}

export function findUnusedInvitation(
	db: Queryable,
	workspaceId: string,
	id: string,
): Promise<InvitationRow | undefined> {
	return unused(db, workspaceId).selectAll().where('id', '=', id).executeTakeFirst()
}

/** Whether an open invitation to the same address exists besides this one. */
export async function hasOtherInvitation(
	db: Queryable,
	workspaceId: string,
	{ id, email }: Pick<InvitationRow, 'id' | 'email'>,
	nowMs: number,
): Promise<boolean> {
	const open = unused(db, workspaceId).where('expires_at', '>', nowMs).where('email', '=', email)
	return (await open.select('id').where('id', '<>', id).executeTakeFirst()) !== undefined
}

export async function listOpenInvitations(
	db: Queryable,
	workspaceId: string,
	nowMs: number,
	page: Page & { order: 'asc' | 'desc' },
): Promise<{ rows: ShownInvitation[]; total: number }> {
	const open = unused(db, workspaceId).where('expires_at', '>', nowMs)
	const { total } = await open.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
	const rows = await open
		.leftJoin('users', 'users.id', 'invitations.invited_by')
		.selectAll('invitations')
		.select('users.email as inviter')
		.orderBy('invitations.created_at', page.order)
		.orderBy('invitations.id', page.order)
		.limit(page.limit)
		.offset((page.page - 1) * page.limit)
		.execute()
	return { rows, total: Number(total) }
}

/** Open invitations to an address, in every workspace. */
export function listOpenInvitationsFor(
	db: Queryable,
	email: string,
	nowMs: number,
): Promise<InvitationRow[]> {
	return db
		.selectFrom('invitations')
		.selectAll()
		.where('email', '=', email)
		.where('accepted_at', 'is', null)
		.where('revoked_at', 'is', null)
		.where('expires_at', '>', nowMs)
		.orderBy('created_at')
		.execute()
}

/** The invitation of a secret, which is all that its bearer has; includes the workspace's name. */
export function findInvitationByHash(
	db: Queryable,
	hash: string,
	nowMs: number,
): Promise<(InvitationRow & { workspace_name: string }) | undefined> {
	return db
		.selectFrom('invitations')
		.innerJoin('workspaces', 'workspaces.id', 'invitations.workspace_id')
		.selectAll('invitations')
		.select('workspaces.name as workspace_name')
		.where('secret_hash', '=', hash)
		.where('accepted_at', 'is', null)
		.where('revoked_at', 'is', null)
		.where('expires_at', '>', nowMs)
		.executeTakeFirst()
}

/** Marks an invitation as accepted; false if another request was faster, or it was revoked or sent again meanwhile. */
export async function takeInvitation(
	tx: DatabaseTransaction,
	{ id, workspace_id, secret_hash }: InvitationRow,
	nowMs: number,
): Promise<boolean> {
	const result = await tx
		.updateTable('invitations')
		.set({ accepted_at: nowMs })
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.where('secret_hash', '=', secret_hash)
		.where('accepted_at', 'is', null)
		.where('revoked_at', 'is', null)
		.executeTakeFirst()
	return result.numUpdatedRows === 1n
}

export async function revokeInvitation(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	nowMs: number,
): Promise<void> {
	await tx
		.updateTable('invitations')
		.set({ revoked_at: nowMs })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

export async function renewInvitation(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	values: Pick<InvitationRow, 'secret_hash' | 'mailed' | 'created_at' | 'expires_at'>,
): Promise<void> {
	await tx
		.updateTable('invitations')
		.set(values)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

/** Unused invitations that a person created for one of these roles. */
export function listUnusedInvitationsBy(
	db: Queryable,
	workspaceId: string,
	userId: string,
	roles: readonly Role[],
): Promise<InvitationRow[]> {
	return unused(db, workspaceId)
		.selectAll()
		.where('invited_by', '=', userId)
		.where('role', 'in', [...roles])
		.execute()
}
