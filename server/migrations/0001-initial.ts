import type { ColumnDefinitionBuilder, Kysely } from 'kysely'

type Schema = Kysely<unknown>
const required = (column: ColumnDefinitionBuilder) => column.notNull()
const key = (column: ColumnDefinitionBuilder) => column.primaryKey().notNull()
const references = (target: string) => (column: ColumnDefinitionBuilder) => column.notNull().references(target).onDelete('cascade')

/** The first schema: identity, agents, servers, grants, connections, sessions, audit and the change feed. */
export async function up(db: Schema): Promise<void> {
	await createIdentity(db)
	await createAgentsAndServers(db)
	await createGrantsAndConnections(db)
	await createRecords(db)
}

async function createIdentity(db: Schema): Promise<void> {
	await db.schema.createTable('workspaces').addColumn('id', 'text', key).addColumn('name', 'text', required)
		.addColumn('created_at', 'bigint', required).addColumn('updated_at', 'bigint', required).execute()
	await db.schema.createTable('users').addColumn('id', 'text', key).addColumn('email', 'text', (c) => c.notNull().unique())
		.addColumn('name', 'text', required).addColumn('password_hash', 'text').addColumn('verified', 'integer', required)
		.addColumn('operator', 'integer', required).addColumn('created_at', 'bigint', required).addColumn('updated_at', 'bigint', required).execute()
	await db.schema.createTable('members').addColumn('workspace_id', 'text', references('workspaces.id')).addColumn('user_id', 'text', references('users.id'))
		.addColumn('role', 'text', required).addColumn('created_at', 'bigint', required).addPrimaryKeyConstraint('members_pk', ['workspace_id', 'user_id']).execute()
	await db.schema.createIndex('members_user').on('members').column('user_id').execute()
	await db.schema.createTable('sessions').addColumn('id', 'text', key).addColumn('user_id', 'text', references('users.id'))
		.addColumn('workspace_id', 'text', references('workspaces.id')).addColumn('refresh_hash', 'text', (c) => c.notNull().unique())
		.addColumn('previous_refresh_hash', 'text').addColumn('rotated_at', 'bigint', required).addColumn('user_agent', 'text', required)
		.addColumn('address', 'text', required).addColumn('created_at', 'bigint', required).addColumn('last_used_at', 'bigint', required)
		.addColumn('expires_at', 'bigint', required).addColumn('revoked_at', 'bigint').execute()
	await db.schema.createIndex('sessions_user').on('sessions').column('user_id').execute()
	await db.schema.createIndex('sessions_previous').on('sessions').column('previous_refresh_hash').execute()
	await db.schema.createTable('setup_links').addColumn('id', 'text', key).addColumn('secret_hash', 'text', (c) => c.notNull().unique())
		.addColumn('expires_at', 'bigint', required).addColumn('used_at', 'bigint').execute()
	await db.schema.createTable('signing_keys').addColumn('id', 'text', key).addColumn('public_jwk', 'text', required)
		.addColumn('sealed_private_jwk', 'text', required).addColumn('created_at', 'bigint', required).execute()
}

async function createAgentsAndServers(db: Schema): Promise<void> {
	await db.schema.createTable('agents').addColumn('id', 'text', key).addColumn('workspace_id', 'text', references('workspaces.id'))
		.addColumn('name', 'text', required).addColumn('description', 'text', required).addColumn('status', 'text', required)
		.addColumn('last_seen_at', 'bigint').addColumn('created_at', 'bigint', required).addColumn('updated_at', 'bigint', required)
		.addUniqueConstraint('agents_name', ['workspace_id', 'name']).execute()
	await db.schema.createTable('credentials').addColumn('id', 'text', key).addColumn('workspace_id', 'text', references('workspaces.id'))
		.addColumn('kind', 'text', required).addColumn('name', 'text', required).addColumn('hash', 'text', (c) => c.notNull().unique())
		.addColumn('prefix', 'text', required).addColumn('last4', 'text', required).addColumn('scopes', 'text', required)
		.addColumn('agent_id', 'text', (c) => c.references('agents.id').onDelete('cascade')).addColumn('created_by', 'text')
		.addColumn('created_at', 'bigint', required).addColumn('last_used_at', 'bigint').addColumn('expires_at', 'bigint').addColumn('revoked_at', 'bigint').execute()
	await db.schema.createIndex('credentials_workspace').on('credentials').columns(['workspace_id', 'kind']).execute()
	await db.schema.createTable('mcp_servers').addColumn('id', 'text', key).addColumn('workspace_id', 'text', references('workspaces.id'))
		.addColumn('name', 'text', required).addColumn('slug', 'text', required).addColumn('description', 'text', required)
		.addColumn('endpoint_url', 'text', required).addColumn('transport_type', 'text', required).addColumn('hosting_mode', 'text', required)
		.addColumn('status', 'text', required).addColumn('health_status', 'text', required).addColumn('failures', 'integer', required)
		.addColumn('last_health_check', 'bigint', required).addColumn('last_latency_ms', 'double precision').addColumn('last_error', 'text')
		.addColumn('protocol_version', 'text').addColumn('configuration', 'text', required).addColumn('sealed_headers', 'text')
		.addColumn('tools_refreshed_at', 'bigint').addColumn('created_at', 'bigint', required).addColumn('updated_at', 'bigint', required)
		.addUniqueConstraint('mcp_servers_name', ['workspace_id', 'name']).addUniqueConstraint('mcp_servers_slug', ['workspace_id', 'slug']).execute()
	await db.schema.createTable('mcp_tools').addColumn('server_id', 'text', references('mcp_servers.id')).addColumn('workspace_id', 'text', references('workspaces.id'))
		.addColumn('name', 'text', required).addColumn('definition', 'text', required).addColumn('hash', 'text', required)
		.addColumn('position', 'integer', required).addPrimaryKeyConstraint('mcp_tools_pk', ['server_id', 'name']).execute()
}

async function createGrantsAndConnections(db: Schema): Promise<void> {
	await db.schema.createTable('access_grants').addColumn('id', 'text', key).addColumn('workspace_id', 'text', references('workspaces.id'))
		.addColumn('server_id', 'text', references('mcp_servers.id')).addColumn('agent_id', 'text', references('agents.id'))
		.addColumn('access_mode', 'text', required).addColumn('allowed_tools', 'text').addColumn('enabled', 'integer', required)
		.addColumn('created_at', 'bigint', required).addColumn('updated_at', 'bigint', required)
		.addUniqueConstraint('access_grants_pair', ['server_id', 'agent_id']).execute()
	await db.schema.createIndex('access_grants_agent').on('access_grants').columns(['workspace_id', 'agent_id']).execute()
	await db.schema.createTable('connections').addColumn('id', 'text', key).addColumn('workspace_id', 'text', references('workspaces.id'))
		.addColumn('name', 'text', required).addColumn('provider', 'text', required).addColumn('base_url', 'text', required)
		.addColumn('sealed_key', 'text').addColumn('last4', 'text').addColumn('created_at', 'bigint', required).addColumn('updated_at', 'bigint', required)
		.addUniqueConstraint('connections_name', ['workspace_id', 'name']).execute()
}

async function createRecords(db: Schema): Promise<void> {
	await db.schema.createTable('mcp_sessions').addColumn('id', 'text', key).addColumn('workspace_id', 'text', references('workspaces.id'))
		.addColumn('agent_id', 'text', references('agents.id')).addColumn('credential_id', 'text', references('credentials.id'))
		.addColumn('server_id', 'text').addColumn('state', 'text', required).addColumn('created_at', 'bigint', required).addColumn('last_used_at', 'bigint', required).execute()
	await db.schema.createIndex('mcp_sessions_last_used').on('mcp_sessions').column('last_used_at').execute()
	await db.schema.createTable('audit_log').addColumn('workspace_id', 'text', required).addColumn('seq', 'bigint', required)
		.addColumn('id', 'text', required).addColumn('at', 'bigint', required).addColumn('actor_kind', 'text', required).addColumn('actor_id', 'text')
		.addColumn('actor_name', 'text', required).addColumn('action', 'text', required).addColumn('target_kind', 'text').addColumn('target_id', 'text')
		.addColumn('target_name', 'text').addColumn('detail', 'text', required).addColumn('request_id', 'text').addColumn('chain', 'text', required)
		.addPrimaryKeyConstraint('audit_log_pk', ['workspace_id', 'seq']).execute()
	// `seq` is given by the writer under a lock (see platform/changes.ts): a sequence would let a reader skip a slow commit.
	await db.schema.createTable('changes').addColumn('seq', 'bigint', key).addColumn('kind', 'text', required)
		.addColumn('entity_id', 'text', required).addColumn('at', 'bigint', required).execute()
}
