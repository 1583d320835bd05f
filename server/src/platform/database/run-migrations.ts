import { type Kysely, sql } from 'kysely'
import { systemClock, toIso } from '../clock.ts'
import type { Log } from '../log.ts'
import type { ControlStore, DatabaseTransaction } from './database.ts'
import { snapshotBefore } from './snapshot.ts'

/** One step of the control store's schema. */
export interface ControlMigration {
	up(db: Kysely<unknown>): Promise<void>
}

export type ControlMigrations = Readonly<Record<string, ControlMigration>>

/** A number of ours alone, so that no other program on the same PostgreSQL waits for our migrations. */
const lockNumber = 7_277_001

/**
 * Applies what is missing, in order; returns the names. Each migration is one transaction that also notes it, so a
 * program that is killed leaves whole steps only; the lock is taken anew for each, so of two programs the second waits
 * and then finds the step done. Before the first step on a store with data, an SQLite file is copied.
 */
export async function runMigrations(
	store: ControlStore,
	migrations: ControlMigrations,
	log: Pick<Log, 'info'>,
): Promise<string[]> {
	const applied: string[] = []
	const before = await appliedMigrations(store)
	refuseNewer(before, migrations)
	const pending = Object.entries(migrations).filter(([name]) => !before.includes(name))
	const [first] = pending
	const snapshot = first && before.length > 0 ? await snapshotBefore(store, first[0]) : null
	if (snapshot) log.info({ snapshot }, 'the control store was copied before its migration')
	for (const [name, migration] of pending) {
		if (!(await applyOnce(store, name, migration, migrations))) continue
		applied.push(name)
		// Of a new store the steps tell nobody anything.
		if (before.length > 0) log.info({ migration: name }, 'the control store was migrated')
	}
	if (before.length === 0 && applied.length > 0)
		log.info({ migrations: applied.length }, 'the control store was made')
	return applied
}

/** The names of the migrations that a store has had, in order. */
export async function appliedMigrations({ db }: Pick<ControlStore, 'db'>): Promise<string[]> {
	const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
	if (!tables.some((table) => table.name === 'kysely_migration')) return []
	const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
	return rows.map(({ name }) => name)
}

/** True when this call did it, false when another program did meanwhile. */
function applyOnce(
	store: ControlStore,
	name: string,
	migration: ControlMigration,
	migrations: ControlMigrations,
): Promise<boolean> {
	return store.db.transaction().execute(async (tx) => {
		// On SQLite the transaction itself begins with the write lock.
		if (store.kind === 'postgres') await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(tx)
		const applied = await namesIn(tx)
		refuseNewer(applied, migrations)
		if (applied.includes(name)) return false
		await migration.up(tx as unknown as Kysely<unknown>)
		await sql`insert into kysely_migration (name, timestamp) values (${name}, ${toIso(systemClock.nowMs())})`.execute(
			tx,
		)
		return true
	})
}

/** The table is the one of Kysely's migrator, which wrote the first stores. */
async function namesIn(tx: DatabaseTransaction): Promise<string[]> {
	await sql`create table if not exists kysely_migration
		(name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(tx)
	const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(tx)
	return rows.map(({ name }) => name)
}

function refuseNewer(applied: readonly string[], migrations: ControlMigrations): void {
	const unknown = applied.find((name) => !(name in migrations))
	if (unknown === undefined) return
	throw new Error(
		`The control store was written by a newer Signalbox (migration ${unknown}). Start that version, or restore a backup.`,
	)
}
