import { readdirSync } from 'node:fs'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { controlMigrations, migrateControlStore } from './migrate.ts'
import { describeOnBothDatabases } from './testing.ts'

it('every file of migrations is in the list of those that run, in order', () => {
	const files = readdirSync(new URL('../../../migrations', import.meta.url)).sort()
	expect(Object.keys(controlMigrations).map((name) => `${name}.ts`)).toEqual(files)
})

describeOnBothDatabases('migrations of the control store', (store) => {
	it('can run again without effect', async () => {
		await migrateControlStore(store())
		expect(await store().db.selectFrom('workspaces').selectAll().execute()).toEqual([])
	})

	it('reads 64-bit counters as numbers', async () => {
		await store()
			.db.insertInto('workspaces')
			.values({ id: 'w', name: 'W', created_at: 1_780_000_000_000, updated_at: 1 })
			.execute()
		const row = await store()
			.db.selectFrom('workspaces')
			.select(['created_at', (eb) => eb.fn.countAll().as('n')])
			.groupBy('created_at')
			.executeTakeFirstOrThrow()
		expect({ ...row }).toEqual({ created_at: 1_780_000_000_000, n: 1 })
	})

	it('refuses a store that a newer program wrote, naming the migration', async () => {
		await sql`insert into kysely_migration (name, timestamp) values ('9999-future', 'x')`.execute(store().db)
		await expect(migrateControlStore(store())).rejects.toThrow(/newer Signalbox \(migration 9999-future\)/)
		await sql`delete from kysely_migration where name = '9999-future'`.execute(store().db)
	})
})
