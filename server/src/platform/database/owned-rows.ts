import type { Kysely, SelectQueryBuilder } from 'kysely'
import { Problem } from '../errors.ts'
import type { Page } from '../paging.ts'
import { type DatabaseTransaction, lockCount, type Queryable } from './database.ts'
import type { ControlSchema } from './schema.ts'

interface OwnedRow {
	workspace_id: string
	id: string
}

/** Tables whose rows belong to a workspace and have an id. */
export type OwnedTable = {
	[T in keyof ControlSchema]: ControlSchema[T] extends OwnedRow ? T : never
}[keyof ControlSchema]

/** A page of a list, ordered by a column and, for equal values, by id. */
export interface Listing<Row> extends Page {
	sort: keyof Row & string
	order: 'asc' | 'desc'
}

// Kysely's types need a table by name. Only the result type depends on it, so the statements are written for a table `owned`, and
// the functions' own types name the real rows.
type OwnedTables = { owned: OwnedRow }
type Found = SelectQueryBuilder<OwnedTables, 'owned', object>

/** One page of the results of a query over one table, and their total number. */
export async function pageOf<T extends OwnedTable>(
	query: SelectQueryBuilder<ControlSchema, T, object>,
	{ page, limit, sort, order }: Listing<ControlSchema[T]>,
): Promise<{ rows: ControlSchema[T][]; total: number }> {
	const rows = await (query as unknown as Found)
		.selectAll()
		.orderBy(sort as 'id', order)
		.orderBy('id', order)
		.limit(limit)
		.offset((page - 1) * limit)
		.execute()
	return { rows: rows as ControlSchema[T][], total: await countOf(query) }
}

/** The number of results of a query over one table. */
export async function countOf<T extends OwnedTable>(
	query: SelectQueryBuilder<ControlSchema, T, object>,
): Promise<number> {
	const counted = (query as unknown as Found).select((eb) => eb.fn.countAll<number>().as('total'))
	return Number((await counted.executeTakeFirstOrThrow()).total)
}

interface Room {
	most: number
	/** The counted objects, as the message names them. */
	what: string
	count(tx: DatabaseTransaction, workspaceId: string): Promise<number>
}

/** Call it before an insert. Throws `conflict` when the workspace already has the most objects of this kind that it may have. */
export async function requireRoom(
	tx: DatabaseTransaction,
	workspaceId: string,
	{ most, what, count }: Room,
): Promise<void> {
	await lockCount(tx, `${what} ${workspaceId}`)
	if ((await count(tx, workspaceId)) >= most)
		throw new Problem('conflict', `A workspace has at most ${most} ${what}.`)
}

/**
 * Statements that tables of managed objects share. Each takes the workspace first, so an id of another workspace is not found, not
 * changed and not deleted.
 */
export function ownedRows<T extends OwnedTable>(table: T) {
	type Row = ControlSchema[T]
	const name = table as unknown as 'owned'
	const rows = (db: Queryable) => db as unknown as Kysely<OwnedTables>
	const own = (db: Queryable, workspaceId: string) =>
		rows(db).selectFrom(name).where('workspace_id', '=', workspaceId) as unknown as SelectQueryBuilder<
			ControlSchema,
			T,
			object
		>
	return {
		async find(db: Queryable, workspaceId: string, id: string): Promise<Row | undefined> {
			const found = (own(db, workspaceId) as unknown as Found).selectAll().where('id', '=', id)
			return (await found.executeTakeFirst()) as Row | undefined
		},
		list: (db: Queryable, workspaceId: string, listing: Listing<Row>) =>
			pageOf(own(db, workspaceId), listing),
		count: (db: Queryable, workspaceId: string) => countOf(own(db, workspaceId)),
		async insert(tx: DatabaseTransaction, row: Row): Promise<void> {
			await rows(tx)
				.insertInto(name)
				.values(row as OwnedRow)
				.execute()
		},
		async update(
			tx: DatabaseTransaction,
			workspaceId: string,
			id: string,
			values: Partial<Row>,
		): Promise<void> {
			await rows(tx)
				.updateTable(name)
				.set(values as Partial<OwnedRow>)
				.where('workspace_id', '=', workspaceId)
				.where('id', '=', id)
				.execute()
		},
		async remove(tx: DatabaseTransaction, workspaceId: string, id: string): Promise<void> {
			await rows(tx).deleteFrom(name).where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
		},
	}
}

/** Tables whose rows are numbered within their workspace. */
type NumberedTable = {
	[T in keyof ControlSchema]: ControlSchema[T] extends { workspace_id: string; seq: number } ? T : never
}[keyof ControlSchema]

/** Statements that append-only lists of a workspace share. */
export function numberedRows<T extends NumberedTable>(table: T) {
	const own = (db: Queryable, workspaceId: string) =>
		(db as unknown as Kysely<{ numbered: { workspace_id: string; seq: number } }>)
			.selectFrom(table as unknown as 'numbered')
			.where('workspace_id', '=', workspaceId)
	return {
		/** Complete rows after `afterSeq`, oldest first. */
		async listAfter(
			db: Queryable,
			workspaceId: string,
			afterSeq: number,
			limit: number,
		): Promise<ControlSchema[T][]> {
			const rows = own(db, workspaceId).selectAll().where('seq', '>', afterSeq).orderBy('seq').limit(limit)
			return (await rows.execute()) as unknown as ControlSchema[T][]
		},
		/** The number of the newest row; 0 if there is none. */
		async newestSeq(db: Queryable, workspaceId: string): Promise<number> {
			const newest = own(db, workspaceId).select((eb) => eb.fn.max('seq').as('seq'))
			return Number((await newest.executeTakeFirst())?.seq ?? 0)
		},
	}
}
