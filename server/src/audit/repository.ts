import type { Queryable } from '../platform/database/index.ts'
import type { AuditRow } from './chain.ts'

export interface ChainHead {
	seq: number
	chain: string
}

/** The newest link of a workspace's chain; read it under `lockNumbering`. */
export async function findHead(db: Queryable, workspaceId: string): Promise<ChainHead> {
	const head = await db
		.selectFrom('audit_log')
		.select(['seq', 'chain'])
		.where('workspace_id', '=', workspaceId)
		.orderBy('seq', 'desc')
		.limit(1)
		.executeTakeFirst()
	return head ?? { seq: 0, chain: '' }
}

export async function insertRecord(db: Queryable, row: AuditRow): Promise<void> {
	await db.insertInto('audit_log').values(row).execute()
}

/** Records before `beforeSeq` (null: from the newest), newest first. */
export function listRecords(
	db: Queryable,
	workspaceId: string,
	beforeSeq: number | null,
	limit: number,
): Promise<AuditRow[]> {
	return db
		.selectFrom('audit_log')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.$if(beforeSeq !== null, (query) => query.where('seq', '<', beforeSeq as number))
		.orderBy('seq', 'desc')
		.limit(limit)
		.execute()
}

/** Records after `afterSeq`, oldest first. */
export function listChain(
	db: Queryable,
	workspaceId: string,
	afterSeq: number,
	limit: number,
): Promise<AuditRow[]> {
	return db
		.selectFrom('audit_log')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('seq', '>', afterSeq)
		.orderBy('seq')
		.limit(limit)
		.execute()
}

/** Every workspace that has or should have a chain. */
export async function listChainedWorkspaces(db: Queryable): Promise<string[]> {
	const rows = await db
		.selectFrom('audit_log')
		.select('workspace_id')
		.distinct()
		.orderBy('workspace_id')
		.execute()
	return rows.map((row) => row.workspace_id)
}
