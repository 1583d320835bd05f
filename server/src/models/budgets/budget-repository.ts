import { sql } from 'kysely'
import type { Database, DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { type Listing, ownedRows, pageOf } from '../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'
import type { BudgetRow } from './budget.ts'

export type CounterRow = ControlSchema['budget_counters']
export type LeaseRow = ControlSchema['budget_leases']

export const {
	find: findBudget,
	count: countBudgets,
	insert: insertBudget,
	update: updateBudget,
	remove: deleteBudget,
} = ownedRows('budgets')

/** Rows deleted in one statement, so that other writers can use the store in between. */
const chunk = 5000

/** For the in-memory view, across workspaces: the active budgets. */
export function listBudgetsForView(db: Queryable, id?: string): Promise<BudgetRow[]> {
	return db
		.selectFrom('budgets')
		.selectAll()
		.where('enabled', '=', 1)
		.$if(id !== undefined, (query) => query.where('id', '=', id as string))
		.execute()
}

export async function listBudgets(
	db: Queryable,
	workspaceId: string,
	{ scope, ...listing }: Listing<BudgetRow> & { scope?: string },
): Promise<{ rows: BudgetRow[]; total: number }> {
	const found = db
		.selectFrom('budgets')
		.where('workspace_id', '=', workspaceId)
		.$if(scope !== undefined, (query) => query.where('scope', '=', scope as string))
	return pageOf(found, listing)
}

/** Locks the budget until the end of the transaction, so that only one process borrows at a time. Undefined if it was deleted. */
export async function lockBudget(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
): Promise<BudgetRow | undefined> {
	return tx
		.updateTable('budgets')
		.set((eb) => ({ updated_at: eb.ref('updated_at') }))
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.returningAll()
		.executeTakeFirst()
}

/** Identifies a counter and its window: the rows that count, and the bucket of a new one. */
export interface CounterKey {
	workspaceId: string
	budgetId: string
	scopeKey: string
	startMs: number
	endMs: number
	countedFromMs: number
	countedToMs: number
}

export interface CounterSums {
	spent: number
	leased: number
	uncertain: number
	alerted: number
	exhaustedAt: number | null
	/** When the oldest bucket with an amount begins; null if there is none. */
	oldest: number | null
}

/** The sums over all buckets of the window. */
export async function sumCounters(db: Queryable, key: CounterKey): Promise<CounterSums> {
	const { max, min } = db.fn
	// As text on both stores: SQLite's driver fails for a number beyond 2^53.
	const sum = (name: 'spent' | 'leased' | 'uncertain') =>
		sql<string | null>`cast(sum(${sql.ref(name)}) as text)`
	const sums = await db
		.selectFrom('budget_counters')
		.select([
			sum('spent').as('spent'),
			sum('leased').as('leased'),
			sum('uncertain').as('uncertain'),
			max<number | null>('alerted').as('alerted'),
			max<number | null>('exhausted_at').as('exhausted_at'),
			min<number | null>('bucket_start').as('oldest'),
		])
		.where('workspace_id', '=', key.workspaceId)
		.where('budget_id', '=', key.budgetId)
		.where('scope_key', '=', key.scopeKey)
		.where('bucket_end', '>', key.countedFromMs)
		.where('bucket_start', '<', key.countedToMs)
		.executeTakeFirstOrThrow()
	return {
		spent: Number(sums.spent ?? 0),
		leased: Number(sums.leased ?? 0),
		uncertain: Number(sums.uncertain ?? 0),
		alerted: sums.alerted ?? 0,
		exhaustedAt: sums.exhausted_at,
		oldest: sums.oldest,
	}
}

/** The spenders of a budget in the window, largest amount first. */
export async function listSpenders(
	db: Queryable,
	key: Omit<CounterKey, 'scopeKey'>,
	limit: number,
): Promise<string[]> {
	const rows = await db
		.selectFrom('budget_counters')
		.select('scope_key')
		.where('workspace_id', '=', key.workspaceId)
		.where('budget_id', '=', key.budgetId)
		.where('bucket_end', '>', key.countedFromMs)
		.where('bucket_start', '<', key.countedToMs)
		.groupBy('scope_key')
		.orderBy((eb) => eb.fn.sum('spent'), 'desc')
		.orderBy('scope_key')
		.limit(limit)
		.execute()
	return rows.map(({ scope_key }) => scope_key)
}

/** The amounts to be added to a counter, negative to subtract. The row is created if necessary. */
export type CounterChange = Pick<CounterRow, 'spent' | 'leased' | 'uncertain'>

export async function addToCounter(
	tx: DatabaseTransaction,
	key: CounterKey,
	change: CounterChange,
): Promise<void> {
	const row = {
		budget_id: key.budgetId,
		workspace_id: key.workspaceId,
		scope_key: key.scopeKey,
		bucket_start: key.startMs,
		bucket_end: key.endMs,
		...change,
		alerted: 0,
		exhausted_at: null,
	}
	await tx
		.insertInto('budget_counters')
		.values(row)
		.onConflict((conflict) =>
			conflict.columns(['budget_id', 'scope_key', 'bucket_start']).doUpdateSet({
				spent: sql`budget_counters.spent + excluded.spent`,
				leased: sql`budget_counters.leased + excluded.leased`,
				uncertain: sql`budget_counters.uncertain + excluded.uncertain`,
			}),
		)
		.execute()
}

export async function noteAlert(
	tx: DatabaseTransaction,
	key: CounterKey,
	values: Partial<Pick<CounterRow, 'alerted' | 'exhausted_at'>>,
): Promise<void> {
	await tx
		.updateTable('budget_counters')
		.set(values)
		.where('workspace_id', '=', key.workspaceId)
		.where('budget_id', '=', key.budgetId)
		.where('scope_key', '=', key.scopeKey)
		.where('bucket_start', '=', key.startMs)
		.execute()
}

/** For a raised limit, under which no call was refused yet. */
export async function forgetExhausted(
	tx: DatabaseTransaction,
	workspaceId: string,
	budgetId: string,
): Promise<void> {
	await tx
		.updateTable('budget_counters')
		.set({ exhausted_at: null })
		.where('workspace_id', '=', workspaceId)
		.where('budget_id', '=', budgetId)
		.execute()
}

/** The holder of a lease that has expired. */
const nobody = ''
/** So long, an expired lease tells its process what became of a report whose commit was not answered. */
const tellsMs = 3_600_000

/** False if the lease does not exist, or has expired. */
export async function updateLease(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	values: Pick<LeaseRow, 'amount' | 'expires_at'>,
): Promise<boolean> {
	const { numUpdatedRows } = await tx
		.updateTable('budget_leases')
		.set(values)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.where('holder', '<>', nobody)
		.executeTakeFirst()
	return numUpdatedRows > 0n
}

/** Undefined if the lease does not exist, nor has expired within the last hour. */
export async function findLeaseExpiry(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
): Promise<number | undefined> {
	const row = await tx
		.selectFrom('budget_leases')
		.select('expires_at')
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
	return row?.expires_at
}

/** Also again, if it has expired. */
export async function insertLease(tx: DatabaseTransaction, row: LeaseRow): Promise<void> {
	const { holder, amount, expires_at } = row
	await tx
		.insertInto('budget_leases')
		.values(row)
		.onConflict((conflict) => conflict.column('id').doUpdateSet({ holder, amount, expires_at }))
		.execute()
}

/** Ends expired leases; the amounts that they held become uncertain. The budget must be locked. */
export async function endExpiredLeases(
	tx: DatabaseTransaction,
	workspaceId: string,
	budgetId: string,
	nowMs: number,
): Promise<void> {
	const expired = await tx
		.updateTable('budget_leases')
		.set({ holder: nobody })
		.where('workspace_id', '=', workspaceId)
		.where('budget_id', '=', budgetId)
		.where('expires_at', '<', nowMs)
		.where('holder', '<>', nobody)
		.returningAll()
		.execute()
	await tx
		.deleteFrom('budget_leases')
		.where('workspace_id', '=', workspaceId)
		.where('budget_id', '=', budgetId)
		.where('expires_at', '<', nowMs - tellsMs)
		.where('holder', '=', nobody)
		.execute()
	for (const { scope_key, bucket_start, amount } of expired.filter((lease) => lease.amount > 0))
		await tx
			.updateTable('budget_counters')
			.set((eb) => ({ leased: eb('leased', '-', amount), uncertain: eb('uncertain', '+', amount) }))
			.where('workspace_id', '=', workspaceId)
			.where('budget_id', '=', budgetId)
			.where('scope_key', '=', scope_key)
			.where('bucket_start', '=', bucket_start)
			.execute()
}

/** For the background job, across workspaces: deletes old counters. Resolves with whether some may be left. */
export async function deleteOldCounters(db: Database, beforeMs: number): Promise<boolean> {
	const old = await db
		.selectFrom('budget_counters')
		.select(['budget_id', 'scope_key', 'bucket_start'])
		.where('bucket_end', '<', beforeMs)
		.limit(chunk)
		.execute()
	for (const { budget_id, scope_key, bucket_start } of old)
		await db
			.deleteFrom('budget_counters')
			.where('budget_id', '=', budget_id)
			.where('scope_key', '=', scope_key)
			.where('bucket_start', '=', bucket_start)
			.execute()
	return old.length === chunk
}
