import type { Kysely } from 'kysely'
import { addColumns, json, optional, withDefault } from '../src/platform/database/ddl.ts'

/** What hosting needs of a stdio server: where its program may go, its pinned package, and the word of an owner. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'mcp_servers', {
		allowed_hosts: withDefault(json, '[]'),
		package: optional(json),
		unsandboxed: optional(json),
	})
}
