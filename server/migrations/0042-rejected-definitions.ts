import { type Kysely, sql } from 'kysely'
import { addColumns, optional, time } from '../src/platform/database/ddl.ts'

/** Every definition that was rejected is known, not only the last one of a tool: a server may go back to any of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'tool_definitions', { rejected_at: optional(time) })
	await sql`update tool_definitions set rejected_at = (
		select coalesce(tool_pins.decided_at, tool_pins.since) from tool_pins
		where tool_pins.server_id = tool_definitions.server_id and tool_pins.name = tool_definitions.name
		and tool_pins.rejected_hash = tool_definitions.hash)`.execute(db)
	await db.schema.alterTable('tool_pins').dropColumn('rejected_hash').execute()
}
