import type { ControlSchema, DatabaseTransaction, Queryable } from '../../../platform/database/index.ts'
import type { Page } from '../../../platform/paging.ts'

export type RedactionRuleRow = ControlSchema['redaction_rules']

export function findRule(
	db: Queryable,
	workspaceId: string,
	id: string,
): Promise<RedactionRuleRow | undefined> {
	return db
		.selectFrom('redaction_rules')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

export async function listRules(
	db: Queryable,
	workspaceId: string,
	{ page, limit, sort, order }: Page & { sort: 'name' | 'created_at' | 'updated_at'; order: 'asc' | 'desc' },
): Promise<{ rows: RedactionRuleRow[]; total: number }> {
	const rows = await db
		.selectFrom('redaction_rules')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.orderBy(sort, order)
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	return { rows, total: await countRules(db, workspaceId) }
}

export async function countRules(db: Queryable, workspaceId: string): Promise<number> {
	const counted = db
		.selectFrom('redaction_rules')
		.select((eb) => eb.fn.countAll<number>().as('rules'))
		.where('workspace_id', '=', workspaceId)
	return Number((await counted.executeTakeFirstOrThrow()).rules)
}

/** For the view: the rules of one workspace in the order in which they are applied. */
export function listRulesForView(db: Queryable, workspaceId: string): Promise<RedactionRuleRow[]> {
	return db
		.selectFrom('redaction_rules')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.orderBy('id')
		.execute()
}

/** For the view, which spans workspaces. */
export function listAllRulesForView(db: Queryable): Promise<RedactionRuleRow[]> {
	return db.selectFrom('redaction_rules').selectAll().orderBy('id').execute()
}

export async function insertRule(tx: DatabaseTransaction, row: RedactionRuleRow): Promise<void> {
	await tx.insertInto('redaction_rules').values(row).execute()
}

export async function updateRule(tx: DatabaseTransaction, row: RedactionRuleRow): Promise<void> {
	const { id, workspace_id, ...values } = row
	await tx
		.updateTable('redaction_rules')
		.set(values)
		.where('workspace_id', '=', workspace_id)
		.where('id', '=', id)
		.execute()
}

export async function deleteRule(tx: DatabaseTransaction, workspaceId: string, id: string): Promise<void> {
	await tx
		.deleteFrom('redaction_rules')
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}
