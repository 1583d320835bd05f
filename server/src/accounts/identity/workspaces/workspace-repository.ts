import type { Role } from '@signalbox/contract'
import {
	type DatabaseTransaction,
	nameContains,
	type Queryable,
} from '../../../platform/database/database.ts'
import type { Page } from '../../../platform/paging.ts'

type Ordered = Page & { order: 'asc' | 'desc' }

export interface WorkspaceRow {
	id: string
	name: string
	slug: string
	created_at: number
	updated_at: number
}

const workspaceColumns = [
	'workspaces.id',
	'workspaces.name',
	'workspaces.slug',
	'workspaces.created_at',
	'workspaces.updated_at',
] as const

export function findWorkspaceById(db: Queryable, workspaceId: string): Promise<WorkspaceRow | undefined> {
	return db.selectFrom('workspaces').select(workspaceColumns).where('id', '=', workspaceId).executeTakeFirst()
}

/** The workspaces of a person, with their role in each. */
export async function listWorkspacesOf(
	db: Queryable,
	userId: string,
	page: Ordered & { sort: 'name' | 'created_at' },
): Promise<{ rows: (WorkspaceRow & { role: Role })[]; total: number }> {
	const mine = db
		.selectFrom('workspaces')
		.innerJoin('members', 'members.workspace_id', 'workspaces.id')
		.where('members.user_id', '=', userId)
	const { total } = await mine.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
	const rows = await mine
		.select([...workspaceColumns, 'members.role'])
		.orderBy(`workspaces.${page.sort}`, page.order)
		.orderBy('workspaces.id', page.order)
		.limit(page.limit)
		.offset((page.page - 1) * page.limit)
		.execute()
	return { rows: rows.map((row) => ({ ...row, role: row.role as Role })), total: Number(total) }
}

export async function countWorkspaces(db: Queryable): Promise<number> {
	const { total } = await db
		.selectFrom('workspaces')
		.select((eb) => eb.fn.countAll<number>().as('total'))
		.executeTakeFirstOrThrow()
	return Number(total)
}

export async function countOwned(db: Queryable, userId: string): Promise<number> {
	const { total } = await db
		.selectFrom('members')
		.select((eb) => eb.fn.countAll<number>().as('total'))
		.where('user_id', '=', userId)
		.where('role', '=', 'owner')
		.executeTakeFirstOrThrow()
	return Number(total)
}

export async function renameWorkspace(
	tx: DatabaseTransaction,
	workspaceId: string,
	name: string,
	nowMs: number,
): Promise<void> {
	await tx.updateTable('workspaces').set({ name, updated_at: nowMs }).where('id', '=', workspaceId).execute()
}

/** Deletes a workspace with everything in it, except its audit chain and its telemetry. */
export async function deleteWorkspace(tx: DatabaseTransaction, workspaceId: string): Promise<void> {
	await tx.deleteFrom('workspaces').where('id', '=', workspaceId).execute()
}

export interface MemberRow {
	user_id: string
	email: string
	name: string
	verified: number
	role: Role
	joined_at: number
}

export interface MemberFilter {
	q?: string | undefined
	role?: Role | undefined
}

function members(db: Queryable, workspaceId: string, { q, role }: MemberFilter = {}) {
	return db
		.selectFrom('members')
		.innerJoin('users', 'users.id', 'members.user_id')
		.where('members.workspace_id', '=', workspaceId)
		.$if(role !== undefined, (query) => query.where('members.role', '=', role as Role))
		.$if(q !== undefined, (query) => query.where(nameContains(q as string, ['users.name', 'users.email'])))
}

function withFields(query: ReturnType<typeof members>) {
	return query.select([
		'members.user_id',
		'users.email',
		'users.name',
		'users.verified',
		'members.role',
		'members.created_at as joined_at',
	])
}

export async function findMember(
	db: Queryable,
	workspaceId: string,
	userId: string,
): Promise<MemberRow | undefined> {
	const row = await withFields(members(db, workspaceId))
		.where('members.user_id', '=', userId)
		.executeTakeFirst()
	return row && { ...row, role: row.role as Role }
}

export async function listMembers(
	db: Queryable,
	workspaceId: string,
	filter: MemberFilter,
	page: Ordered & { sort: 'email' | 'joined_at' },
): Promise<{ rows: MemberRow[]; total: number }> {
	const { total } = await members(db, workspaceId, filter)
		.select((eb) => eb.fn.countAll<number>().as('total'))
		.executeTakeFirstOrThrow()
	const rows = await withFields(members(db, workspaceId, filter))
		.orderBy(page.sort === 'email' ? 'users.email' : 'members.created_at', page.order)
		.orderBy('members.user_id', page.order)
		.limit(page.limit)
		.offset((page.page - 1) * page.limit)
		.execute()
	return { rows: rows.map((row) => ({ ...row, role: row.role as Role })), total: Number(total) }
}

export async function listMemberIds(db: Queryable, workspaceId: string): Promise<string[]> {
	const rows = await db
		.selectFrom('members')
		.select('user_id')
		.where('workspace_id', '=', workspaceId)
		.execute()
	return rows.map((row) => row.user_id)
}

export async function countOwners(db: Queryable, workspaceId: string): Promise<number> {
	const { total } = await members(db, workspaceId, { role: 'owner' })
		.select((eb) => eb.fn.countAll<number>().as('total'))
		.executeTakeFirstOrThrow()
	return Number(total)
}

export async function setRole(
	tx: DatabaseTransaction,
	workspaceId: string,
	userId: string,
	role: Role,
): Promise<void> {
	await tx
		.updateTable('members')
		.set({ role })
		.where('workspace_id', '=', workspaceId)
		.where('user_id', '=', userId)
		.execute()
}

/** Resolves with the groups that the person's own agent had by this membership. */
export async function deleteMember(
	tx: DatabaseTransaction,
	workspaceId: string,
	userId: string,
): Promise<string[]> {
	const deleted = await tx
		.deleteFrom('members')
		.where('workspace_id', '=', workspaceId)
		.where('user_id', '=', userId)
		.returning('agent_groups')
		.executeTakeFirst()
	return JSON.parse(deleted?.agent_groups ?? '[]') as string[]
}

/** Sessions in the workspace continue in the first other workspace of their person, if there is one. */
export async function moveSessionsAway(
	tx: DatabaseTransaction,
	workspaceId: string,
	userId: string,
): Promise<void> {
	const next = await tx
		.selectFrom('members')
		.select('workspace_id')
		.where('user_id', '=', userId)
		.where('workspace_id', '<>', workspaceId)
		.orderBy('created_at')
		.orderBy('workspace_id')
		.limit(1)
		.executeTakeFirst()
	if (!next) return
	await tx
		.updateTable('sessions')
		.set({ workspace_id: next.workspace_id })
		.where('user_id', '=', userId)
		.where('workspace_id', '=', workspaceId)
		.execute()
}
