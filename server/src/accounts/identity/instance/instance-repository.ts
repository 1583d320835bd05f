import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import { nameContains } from '../../../platform/database/database.ts'
import type { Page } from '../../../platform/paging.ts'

/** These objects are instance-wide, so the functions take no workspace. */
export async function listStoredSettings(db: Queryable): Promise<Map<string, unknown>> {
	const rows = await db.selectFrom('settings').select(['id', 'value']).execute()
	return new Map(rows.map(({ id, value }) => [id, JSON.parse(value) as unknown]))
}

export async function storeSetting(
	tx: DatabaseTransaction,
	name: string,
	value: unknown,
	nowMs: number,
): Promise<void> {
	const row = { value: JSON.stringify(value), updated_at: nowMs }
	await tx
		.insertInto('settings')
		.values({ id: name, ...row })
		.onConflict((conflict) => conflict.column('id').doUpdateSet(row))
		.execute()
}

export async function forgetSetting(tx: DatabaseTransaction, name: string): Promise<void> {
	await tx.deleteFrom('settings').where('id', '=', name).execute()
}

/** The workspaces that may register programs. */
export async function listStdioWorkspaces(db: Queryable): Promise<string[]> {
	const rows = await db.selectFrom('workspaces').select('id').where('stdio_allowed', '=', 1).execute()
	return rows.map(({ id }) => id)
}

export async function setStdioAllowed(
	tx: DatabaseTransaction,
	workspaceId: string,
	allowed: boolean,
): Promise<void> {
	await tx
		.updateTable('workspaces')
		.set({ stdio_allowed: allowed ? 1 : 0 })
		.where('id', '=', workspaceId)
		.execute()
}

export interface InstanceWorkspaceRow {
	id: string
	name: string
	stdio_allowed: number
	created_at: number
	member_count: number
}

function withMemberCount(db: Queryable) {
	return db
		.selectFrom('workspaces')
		.select(['workspaces.id', 'workspaces.name', 'workspaces.stdio_allowed', 'workspaces.created_at'])
		.select((eb) =>
			eb
				.selectFrom('members')
				.select((members) => members.fn.countAll<number>().as('total'))
				.whereRef('members.workspace_id', '=', 'workspaces.id')
				.$asScalar()
				.as('member_count'),
		)
}

export async function findInstanceWorkspace(
	db: Queryable,
	workspaceId: string,
): Promise<InstanceWorkspaceRow | undefined> {
	const row = await withMemberCount(db).where('workspaces.id', '=', workspaceId).executeTakeFirst()
	return row && { ...row, member_count: Number(row.member_count) }
}

export async function listInstanceWorkspaces(
	db: Queryable,
	q: string | undefined,
	page: Page & { order: 'asc' | 'desc' },
): Promise<{ rows: InstanceWorkspaceRow[]; total: number }> {
	const { total } = await db
		.selectFrom('workspaces')
		.$if(q !== undefined, (query) => query.where(nameContains(q as string)))
		.select((eb) => eb.fn.countAll<number>().as('total'))
		.executeTakeFirstOrThrow()
	const rows = await withMemberCount(db)
		.$if(q !== undefined, (query) => query.where(nameContains(q as string)))
		.orderBy('workspaces.created_at', page.order)
		.orderBy('workspaces.id', page.order)
		.limit(page.limit)
		.offset((page.page - 1) * page.limit)
		.execute()
	return {
		total: Number(total),
		rows: rows.map((row) => ({ ...row, member_count: Number(row.member_count) })),
	}
}

export async function listOperators(
	db: Queryable,
	page: Page & { order: 'asc' | 'desc' },
): Promise<{ id: string; email: string; name: string }[]> {
	return db
		.selectFrom('users')
		.select(['id', 'email', 'name'])
		.where('operator', '=', 1)
		.orderBy('created_at', page.order)
		.orderBy('id', page.order)
		.limit(page.limit)
		.offset((page.page - 1) * page.limit)
		.execute()
}

export async function countOperators(db: Queryable): Promise<number> {
	const { total } = await db
		.selectFrom('users')
		.where('operator', '=', 1)
		.select((eb) => eb.fn.countAll<number>().as('total'))
		.executeTakeFirstOrThrow()
	return Number(total)
}

export async function setOperator(
	tx: DatabaseTransaction,
	userId: string,
	operator: boolean,
	nowMs: number,
): Promise<void> {
	await tx
		.updateTable('users')
		.set({ operator: operator ? 1 : 0, updated_at: nowMs })
		.where('id', '=', userId)
		.execute()
}
