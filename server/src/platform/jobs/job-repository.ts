import { type Compilable, sql } from 'kysely'
import { type Database, type DatabaseTransaction, isPostgres, type Queryable } from '../database/database.ts'
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

/**
 * Inserts a job that is already claimed, or claims the one whose lease has ended; undefined if another holder has it. The file of
 * SQLite has one program, so there the lease of another holder is from before a restart.
 */
export function takeJob(db: Database, row: JobRow, nowMs: number): Promise<JobRow | undefined> {
	const { lease_holder, run_at } = row
	return db
		.insertInto('jobs')
		.values(row)
		.onConflict((conflict) =>
			conflict
				.columns(['kind', 'key'])
				.doUpdateSet((eb) => ({ lease_holder, run_at, again_at: null, fence: eb('jobs.fence', '+', 1) }))
				.where((eb) => {
					const ended = eb('jobs.run_at', '<=', nowMs)
					return isPostgres(db) ? ended : eb.or([ended, eb('jobs.lease_holder', '<>', lease_holder)])
				}),
		)
		.returningAll()
		.executeTakeFirst()
}

export async function deleteJob(tx: DatabaseTransaction, kind: string, key: string): Promise<void> {
	await tx.deleteFrom('jobs').where('kind', '=', kind).where('key', '=', key).execute()
}

export interface Claim {
	kind: string
	holder: string
	nowMs: number
	leaseUntilMs: number
	limit: number
}

/** The time of the next run, the attempts that count for it, and the error of the last run. */
type NextRun = Pick<JobRow, 'run_at' | 'attempts' | 'last_error'>

/**
 * The statements that also an idle instance runs every few seconds. They are compiled once, because building one takes several times as
 * long as running it.
 */
export class JobStatements {
	readonly #db: Database
	readonly #first: Statement<{ run_at: number }>
	readonly #dueKinds: Statement<{ kind: string }>
	readonly #countDue: Statement<{ jobs: number }>
	readonly #claim: Statement<JobRow>
	readonly #release: Statement<unknown>

	constructor(db: Database) {
		this.#db = db
		const now = slot<number>('nowMs')
		this.#first = prepare(db.selectFrom('jobs').select('run_at').orderBy('run_at').limit(1))
		this.#dueKinds = prepare(db.selectFrom('jobs').select('kind').distinct().where('run_at', '<=', now))
		const due = db.selectFrom('jobs').select('id').where('run_at', '<=', now).limit(slot<number>('most'))
		this.#countDue = prepare(db.selectFrom(due.as('due')).select((eb) => eb.fn.countAll<number>().as('jobs')))
		this.#claim = prepare(claimOf(db))
		this.#release = prepare(releaseOf(db))
	}

	/** The time at which the first job may be claimed; null if there is none. */
	async firstRunAt(): Promise<number | null> {
		const [first] = await this.#first(this.#db, {})
		return first?.run_at ?? null
	}

	/** The kinds of which jobs may be claimed. */
	async dueKinds(nowMs: number): Promise<string[]> {
		return (await this.#dueKinds(this.#db, { nowMs })).map(({ kind }) => kind)
	}

	/** The number of due jobs, counted up to `most`. */
	async countDue(nowMs: number, most: number): Promise<number> {
		const [counted] = await this.#countDue(this.#db, { nowMs, most })
		return Number(counted?.jobs ?? 0)
	}

	/** Claims due jobs of a kind in one statement, so that no two claims get the same job. */
	claim(claim: Claim): Promise<JobRow[]> {
		return this.#claim(this.#db, { ...claim })
	}

	/** Releases the lease and schedules the next run, or the earlier one that was requested meanwhile. */
	async release(db: Queryable, { id, fence }: Lease, next: NextRun): Promise<void> {
		await this.#release(db, { ...next, id, fence })
	}
}

function claimOf(db: Database) {
	return db
		.with('due', (cte) =>
			cte
				.selectFrom('jobs')
				.select('id')
				.where('kind', '=', slot<string>('kind'))
				.where('run_at', '<=', slot<number>('nowMs'))
				.orderBy('run_at')
				.limit(slot<number>('limit'))
				.$if(isPostgres(db), (query) => query.forUpdate().skipLocked()),
		)
		.updateTable('jobs')
		.set((eb) => ({
			lease_holder: slot<string>('holder'),
			run_at: slot<number>('leaseUntilMs'),
			fence: eb('fence', '+', 1),
			attempts: eb('attempts', '+', 1),
		}))
		.where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
		.returningAll()
}

function releaseOf(db: Database) {
	const next = slot<number>('run_at')
	return db
		.updateTable('jobs')
		.set({
			run_at: sql`case when again_at < ${next} then again_at else ${next} end`,
			attempts: slot<number>('attempts'),
			last_error: slot<string>('last_error'),
			again_at: null,
			lease_holder: null,
		})
		.where('id', '=', slot<string>('id'))
		.where('fence', '=', slot<number>('fence'))
}

/** The place of a value in a statement that is compiled before the value is known. */
class Slot {
	readonly name: string

	constructor(name: string) {
		this.name = name
	}
}

function slot<T>(name: string): T {
	return new Slot(name) as T
}

type Statement<Row> = (db: Queryable, values: Record<string, unknown>) => Promise<Row[]>

function prepare<Row>(query: Compilable<Row>): Statement<Row> {
	const compiled = query.compile()
	return async (db, values) => {
		const parameters = compiled.parameters.map((each) => (each instanceof Slot ? values[each.name] : each))
		return (await db.executeQuery<Row>({ ...compiled, parameters })).rows
	}
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
 * Ends the leases that holders before a restart left behind. The file of SQLite has one program, so nobody else can hold one; on
 * PostgreSQL another program may, and the lease has to run out.
 */
export async function endOldLeases(tx: DatabaseTransaction, holder: string, nowMs: number): Promise<void> {
	if (isPostgres(tx)) return
	const left = tx.updateTable('jobs').set({ run_at: nowMs }).where('run_at', '>', nowMs)
	await left.where('lease_holder', '<>', holder).execute()
}

/** The earliest run of these kinds, also if it is the end of a lease; 0 if there is none. */
export async function firstRunOf(tx: DatabaseTransaction, kinds: readonly string[]): Promise<number> {
	const first = tx.selectFrom('jobs').select((eb) => eb.fn.min('run_at').as('run_at'))
	const { run_at } = await first.where('kind', 'in', kinds).where('key', '=', '').executeTakeFirstOrThrow()
	return run_at ?? 0
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
