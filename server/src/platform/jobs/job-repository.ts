import { sql } from 'kysely'
import { type DatabaseTransaction, isPostgres, type Queryable } from '../database/database.ts'
import type { ControlSchema } from '../database/schema.ts'

export type JobRow = ControlSchema['jobs']
/** A claim of a job. */
export type Lease = Pick<JobRow, 'id' | 'fence'>

/** Inserts a job, or gives the waiting one the new payload and the earlier time. A running job is marked to run again. */
export async function upsertJob(tx: DatabaseTransaction, row: JobRow): Promise<void> {
	await tx
		.insertInto('jobs')
		.values(row)
		.onConflict((conflict) =>
			conflict.columns(['kind', 'key']).doUpdateSet({
				payload: sql`excluded.payload`,
				run_at: sql`case when jobs.lease_holder is null and excluded.run_at < jobs.run_at then excluded.run_at else jobs.run_at end`,
				again_at: sql`case when jobs.lease_holder is null or jobs.again_at < excluded.run_at then jobs.again_at else excluded.run_at end`,
			}),
		)
		.execute()
}

export async function deleteJob(tx: DatabaseTransaction, kind: string, key: string): Promise<void> {
	await tx.deleteFrom('jobs').where('kind', '=', kind).where('key', '=', key).execute()
}

/**
 * Returns a query for the time at which the first job may be claimed; null if there is none. Compiled once, because it runs every
 * second.
 */
export function readFirstRunAt(db: Queryable): () => Promise<number | null> {
	const first = db.selectFrom('jobs').select('run_at').orderBy('run_at').limit(1).compile()
	return async () => (await db.executeQuery(first)).rows[0]?.run_at ?? null
}

/** The kinds of which jobs may be claimed. */
export async function dueKinds(db: Queryable, nowMs: number): Promise<string[]> {
	const due = db.selectFrom('jobs').select('kind').distinct().where('run_at', '<=', nowMs)
	return (await due.execute()).map(({ kind }) => kind)
}

/** The number of due jobs, counted up to `most`. */
export async function countDue(db: Queryable, nowMs: number, most: number): Promise<number> {
	const due = db.selectFrom('jobs').select('id').where('run_at', '<=', nowMs).limit(most).as('due')
	const counted = db.selectFrom(due).select((eb) => eb.fn.countAll<number>().as('jobs'))
	return Number((await counted.executeTakeFirstOrThrow()).jobs)
}

export interface Claim {
	kind: string
	holder: string
	nowMs: number
	leaseUntilMs: number
	limit: number
}

/** Claims due jobs of a kind in one statement, so that no two claims get the same job. */
export function claimJobs(db: Queryable, claim: Claim): Promise<JobRow[]> {
	return db
		.with('due', (cte) =>
			cte
				.selectFrom('jobs')
				.select('id')
				.where('kind', '=', claim.kind)
				.where('run_at', '<=', claim.nowMs)
				.orderBy('run_at')
				.limit(claim.limit)
				.$if(isPostgres(db), (query) => query.forUpdate().skipLocked()),
		)
		.updateTable('jobs')
		.set((eb) => ({
			lease_holder: claim.holder,
			run_at: claim.leaseUntilMs,
			fence: eb('fence', '+', 1),
			attempts: eb('attempts', '+', 1),
		}))
		.where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
		.returningAll()
		.execute()
}

/** Extends the lease if it is still the newest, and returns whether it is. Inside a transaction that holds until its end. */
export async function extendLease(db: Queryable, lease: Lease, leaseUntilMs: number): Promise<boolean> {
	const extended = db
		.updateTable('jobs')
		.set({ run_at: leaseUntilMs })
		.where('id', '=', lease.id)
		.where('fence', '=', lease.fence)
		.where('lease_holder', 'is not', null)
	return Number((await extended.executeTakeFirst()).numUpdatedRows) > 0
}

/** Releases the lease and schedules the next run, or the earlier one that was requested meanwhile. */
export async function releaseJob(
	db: Queryable,
	lease: Lease,
	next: Pick<JobRow, 'run_at' | 'attempts' | 'last_error'>,
): Promise<void> {
	await db
		.updateTable('jobs')
		.set({
			...next,
			run_at: sql`case when again_at < ${next.run_at} then again_at else ${next.run_at} end`,
			again_at: null,
			lease_holder: null,
		})
		.where('id', '=', lease.id)
		.where('fence', '=', lease.fence)
		.execute()
}

/** Ends a job; if it was requested again meanwhile, it starts over. */
export async function endJob(db: Queryable, { id, fence }: Lease): Promise<void> {
	const ended = db.deleteFrom('jobs').where('id', '=', id).where('fence', '=', fence)
	const { numDeletedRows } = await ended.where('again_at', 'is', null).executeTakeFirst()
	if (Number(numDeletedRows) > 0) return
	await db
		.updateTable('jobs')
		.set((eb) => ({
			run_at: eb.fn.coalesce('again_at', 'run_at'),
			again_at: null,
			lease_holder: null,
			attempts: 0,
			last_error: null,
		}))
		.where('id', '=', id)
		.where('fence', '=', fence)
		.execute()
}

/**
 * Reschedules jobs that were scheduled by a clock that has since been set back: otherwise nothing would run until that time is
 * reached again.
 */
export async function moveJobsBack(db: Queryable, sinceMs: number, byMs: number): Promise<number> {
	const moved = db
		.updateTable('jobs')
		.set((eb) => ({ run_at: eb('run_at', '-', byMs) }))
		.where('run_at', '>=', sinceMs)
	return Number((await moved.executeTakeFirst()).numUpdatedRows)
}
