import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import * as initial from '../../../migrations/0001-initial.ts'
import * as accounts from '../../../migrations/0002-accounts.ts'
import * as federation from '../../../migrations/0003-federation.ts'
import * as workspaces from '../../../migrations/0004-workspaces.ts'
import * as keys from '../../../migrations/0005-keys.ts'
import * as jobs from '../../../migrations/0006-jobs-and-servers.ts'
import * as http from '../../../migrations/0007-http.ts'
import * as grants from '../../../migrations/0008-grants.ts'
import type { ControlStore } from './database.ts'

/** Forward only, in this order, one file an area; a released migration is never edited. */
const migrations: Record<string, Migration> = {
	'0001-initial': initial,
	'0002-accounts': accounts,
	'0003-federation': federation,
	'0004-workspaces': workspaces,
	'0005-keys': keys,
	'0006-jobs-and-servers': jobs,
	'0007-http': http,
	'0008-grants': grants,
}

/** Brings the control store to the newest schema, under the migrator's lock. Refuses a store written by a newer program. */
export async function migrateControlStore(store: ControlStore): Promise<void> {
	await refuseNewer(store)
	const migrator = new Migrator({ db: store.db, provider: { getMigrations: async () => migrations } })
	const { error } = await migrator.migrateToLatest()
	if (error) throw new Error('The control store could not be migrated.', { cause: error })
}

async function refuseNewer(store: ControlStore): Promise<void> {
	const tables = await store.db.introspection.getTables({ withInternalKyselyTables: true })
	if (!tables.some((table) => table.name === 'kysely_migration')) return
	const applied = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
		store.db,
	)
	const unknown = applied.rows.find((row) => !(row.name in migrations))
	if (unknown)
		throw new Error(
			`The control store was written by a newer Signalbox (migration ${unknown.name}). Start that version, or restore a backup.`,
		)
}
