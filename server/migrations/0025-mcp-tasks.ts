import type { Kysely } from 'kysely'
import {
	count,
	createIndex,
	createTable,
	id,
	of,
	optional,
	text,
	time,
} from '../src/platform/database/ddl.ts'

/** Calls of MCP tools that run as tasks. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(db, 'mcp_tasks', {
		id,
		workspace_id: of('workspaces.id'),
		agent_id: of('agents.id'),
		server_id: of('mcp_servers.id'),
		user_id: text,
		tool: text,
		status: text,
		status_message: optional(text),
		created_at: time,
		updated_at: time,
		expires_at: time,
		version: count,
		held_by: text,
		held_until: time,
		sealed_call: text,
		sealed_state: text,
	})
	await createIndex(db, 'mcp_tasks', ['workspace_id', 'agent_id', 'id'])
	await createIndex(db, 'mcp_tasks', ['server_id'])
	await createIndex(db, 'mcp_tasks', ['agent_id'])
	await createIndex(db, 'mcp_tasks', ['status', 'held_until'])
	await createIndex(db, 'mcp_tasks', ['expires_at'])
}
