// A program that only migrates, and may kill itself halfway: started by migrate.slow.test.ts.
import type { Kysely, KyselyPlugin } from 'kysely'
import { silentLog } from '../log.ts'
import { type ControlMigration, type ControlMigrations, controlMigrations, runMigrations } from './migrate.ts'
import { openPostgres } from './open-control-store.ts'
import { openSqlite } from './sqlite/driver.ts'

export interface MigrateTask {
	/** Path of an SQLite file, or the address of a PostgreSQL database. */
	path?: string
	url?: string
	/** Die in this migration: before its statement of this number (from 1), or at its end, before the commit. */
	killIn?: { name: string; statement: number | 'end' }
}

function die(): never {
	process.kill(process.pid, 'SIGKILL')
	// The signal arrives at once; nothing may run until then.
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
	throw new Error('unreachable')
}

function deadly({ up }: ControlMigration, statement: number | 'end'): ControlMigration {
	let seen = 0
	const counter: KyselyPlugin = {
		transformQuery: ({ node }) => {
			seen += 1
			return seen === statement ? die() : node
		},
		transformResult: async ({ result }) => result,
	}
	return {
		up: async (db: Kysely<unknown>) => {
			await up(db.withPlugin(counter))
			die()
		},
	}
}

const task = JSON.parse(process.argv[2] ?? '{}') as MigrateTask
const { killIn } = task
const migrations: ControlMigrations = Object.fromEntries(
	Object.entries(controlMigrations).map(([name, migration]) => [
		name,
		name === killIn?.name ? deadly(migration, killIn.statement) : migration,
	]),
)
const store = task.url ? await openPostgres(task.url, silentLog) : openSqlite(task.path ?? '')
const applied = await runMigrations(store, migrations, silentLog)
await store.close()
process.stdout.write(`${JSON.stringify(applied)}\n`)
