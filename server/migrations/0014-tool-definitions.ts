import type { Kysely } from 'kysely'
import {
	addColumns,
	count,
	createIndex,
	createTable,
	json,
	of,
	optional,
	text,
	time,
	withDefault,
} from '../src/platform/database/ddl.ts'

/** Every definition of a tool that was seen, which of them is approved, and what agents are shown. */
export async function up(db: Kysely<unknown>): Promise<void> {
	const ofTool = { server_id: of('mcp_servers.id'), workspace_id: of('workspaces.id'), name: text }
	const version = {
		...ofTool,
		hash: text,
		definition: json,
		flags: json,
		tokens: optional(count),
		first_seen: time,
		last_seen: time,
	}
	await createTable(db, 'tool_definitions', version, (table) =>
		table.addPrimaryKeyConstraint('tool_definitions_pk', ['server_id', 'name', 'hash']),
	)
	const pin = {
		...ofTool,
		approved_hash: optional(text),
		rejected_hash: optional(text),
		state: text,
		reason: optional(text),
		detail: optional(text),
		renamed_from: optional(text),
		since: time,
		decided_at: optional(time),
		decided_by: optional(text),
	}
	await createTable(db, 'tool_pins', pin, (table) =>
		table.addPrimaryKeyConstraint('tool_pins_pk', ['server_id', 'name']),
	)
	await createIndex(db, 'tool_pins', ['workspace_id', 'state'])
	await addColumns(db, 'mcp_tools', {
		pin: withDefault(text, 'open'),
		served: optional(json),
		tokens: optional(count),
	})
	await addColumns(db, 'mcp_servers', { definition_policy: withDefault(text, 'keep-approved') })
}
