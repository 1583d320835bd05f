import { sql } from 'kysely'
import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type Anchor = ControlSchema['audit_heads']

export type Totals = ControlSchema['audit_totals']

export async function findAnchor(db: Queryable, workspaceId: string): Promise<Anchor | undefined> {
	return db.selectFrom('audit_heads').selectAll().where('workspace_id', '=', workspaceId).executeTakeFirst()
}

/** The last record of a workspace in the log itself; read it under `lockNumbering`. */
export async function findNewest(
	db: Queryable,
	workspaceId: string,
): Promise<{ seq: number; chain: string } | undefined> {
	return db
		.selectFrom('audit_log')
		.select(['seq', 'chain'])
		.where('workspace_id', '=', workspaceId)
		.orderBy('seq', 'desc')
		.limit(1)
		.executeTakeFirst()
}

/** The totals of the whole instance. */
export async function findTotals(db: Queryable): Promise<Totals | undefined> {
	return db.selectFrom('audit_totals').selectAll().executeTakeFirst()
}

export async function hasAnchors(db: Queryable): Promise<boolean> {
	return (await db.selectFrom('audit_heads').select('seq').limit(1).executeTakeFirst()) !== undefined
}

export async function saveAnchor(tx: DatabaseTransaction, anchor: Anchor): Promise<void> {
	const { seq, chain, mac } = anchor
	await tx
		.insertInto('audit_heads')
		.values(anchor)
		.onConflict((conflict) => conflict.column('workspace_id').doUpdateSet({ seq, chain, mac }))
		.execute()
}

export async function saveTotals(tx: DatabaseTransaction, totals: Totals): Promise<void> {
	const { chains, records, mac } = totals
	await tx
		.insertInto('audit_totals')
		.values(totals)
		.onConflict((conflict) => conflict.column('id').doUpdateSet({ chains, records, mac }))
		.execute()
}

/** A snapshot of all anchors and the totals, by one statement, because records may be written meanwhile. */
export async function listAnchors(db: Queryable): Promise<{ anchors: Anchor[]; totals: Totals | undefined }> {
	const rows = await db
		.selectFrom(sql<{ one: number }>`(select 1 as one)`.as('always'))
		.leftJoin('audit_totals as all', (join) => join.onTrue())
		.leftJoin('audit_heads as head', (join) => join.onTrue())
		.select(['all.chains', 'all.records', 'all.mac as totals_mac'])
		.select(['head.workspace_id', 'head.seq', 'head.chain', 'head.mac'])
		.orderBy('head.workspace_id')
		.execute()
	const anchors = rows.flatMap(({ workspace_id, seq, chain, mac }) =>
		workspace_id === null ? [] : [{ workspace_id, seq, chain, mac } as Anchor],
	)
	const { chains, records, totals_mac: mac } = rows[0] as (typeof rows)[number]
	return { anchors, totals: mac === null ? undefined : ({ id: 'all', chains, records, mac } as Totals) }
}

/** Anchors of the whole instance from before they were sealed. */
export function listUnsealed(tx: DatabaseTransaction): Promise<Anchor[]> {
	return tx.selectFrom('audit_heads').selectAll().where('mac', '=', '').execute()
}
