import { type Kysely, sql } from 'kysely'
import {
	addColumns,
	createIndex,
	createTable,
	flag,
	id,
	json,
	of,
	optional,
	owned,
	text,
	time,
	withDefault,
} from '../src/platform/database/ddl.ts'

type Schema = Kysely<unknown>

/** Groups and model access of agents, toolsets, and several grants for one agent and server. */
export async function up(db: Schema): Promise<void> {
	await addColumns(db, 'agents', { model_access: withDefault(json, '{"mode":"all"}') })
	await createIndex(db, 'agents', ['workspace_id', 'created_at', 'id'])
	const group = { agent_id: of('agents.id'), workspace_id: of('workspaces.id'), name: text }
	await createTable(db, 'agent_groups', group, (table) =>
		table.addPrimaryKeyConstraint('agent_groups_pk', ['agent_id', 'name']),
	)
	await createIndex(db, 'agent_groups', ['workspace_id', 'name'])
	await createToolsets(db)
	await rebuildGrants(db)
}

async function createToolsets(db: Schema): Promise<void> {
	const toolset = { id, workspace_id: of('workspaces.id'), name: text, description: text, ...owned }
	await createTable(db, 'toolsets', toolset, (table) =>
		table.addUniqueConstraint('toolsets_name', ['workspace_id', 'name']),
	)
	const tools = {
		toolset_id: of('toolsets.id'),
		workspace_id: of('workspaces.id'),
		server_id: of('mcp_servers.id'),
		tools: json,
	}
	await createTable(db, 'toolset_tools', tools, (table) =>
		table.addPrimaryKeyConstraint('toolset_tools_pk', ['toolset_id', 'server_id']),
	)
	await createIndex(db, 'toolset_tools', ['server_id'])
	const groups = { toolset_id: of('toolsets.id'), workspace_id: of('workspaces.id'), name: text }
	await createTable(db, 'toolset_groups', groups, (table) =>
		table.addPrimaryKeyConstraint('toolset_groups_pk', ['toolset_id', 'name']),
	)
	await createIndex(db, 'toolset_groups', ['workspace_id', 'name'])
}

/** SQLite cannot drop the old uniqueness of agent and server, so the table is written anew. */
async function rebuildGrants(db: Schema): Promise<void> {
	const grant = {
		id,
		workspace_id: of('workspaces.id'),
		server_id: of('mcp_servers.id'),
		agent_id: of('agents.id'),
		source: text,
		access_mode: text,
		allowed_tools: optional(json),
		enabled: flag,
		expires_at: optional(time),
		constraints: optional(json),
		approval: optional(json),
		...owned,
	}
	await createTable(db, 'access_grants_new', grant, (table) =>
		table.addUniqueConstraint('access_grants_unique', ['server_id', 'agent_id', 'source']),
	)
	const kept = sql.raw(
		'id, workspace_id, server_id, agent_id, access_mode, allowed_tools, enabled, created_at, updated_at',
	)
	await sql`insert into access_grants_new (${kept}, source) select ${kept}, 'manual' from access_grants`.execute(
		db,
	)
	await db.schema.dropTable('access_grants').execute()
	await db.schema.alterTable('access_grants_new').renameTo('access_grants').execute()
	// Without figures about the data SQLite takes an index of the workspace alone, however many rows that leaves.
	await createIndex(db, 'access_grants', ['workspace_id', 'server_id'])
	await createIndex(db, 'access_grants', ['workspace_id', 'agent_id', 'server_id'])
	await createIndex(db, 'access_grants', ['agent_id'])
	await createIndex(db, 'access_grants', ['source'])
}
