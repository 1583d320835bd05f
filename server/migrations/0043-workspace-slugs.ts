import { type Kysely, sql } from 'kysely'
import { addColumns, optional, text } from '../src/platform/database/ddl.ts'
import { freeSlug } from '../src/platform/slug.ts'

/** The address of every page of the dashboard names its workspace, so each has a short name. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'workspaces', { slug: optional(text) })
	const { rows } = await sql<{
		id: string
		name: string
	}>`select id, name from workspaces order by created_at, id`.execute(db)
	const taken = new Set<string>()
	for (const { id, name } of rows) {
		const slug = freeSlug(name, taken, 'workspace')
		taken.add(slug)
		await sql`update workspaces set slug = ${slug} where id = ${id}`.execute(db)
	}
	await db.schema.createIndex('workspaces_slug').on('workspaces').columns(['slug']).unique().execute()
}
