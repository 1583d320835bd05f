import type { Kysely } from 'kysely'
import {
	column,
	count,
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
	unique,
} from '../src/platform/database/ddl.ts'

type Schema = Kysely<unknown>

/** The first schema: identity, agents, servers, grants, connections, sessions, audit and the change feed. */
export async function up(db: Schema): Promise<void> {
	await createIdentity(db)
	await createAgentsAndServers(db)
	await createGrantsAndConnections(db)
	await createRecords(db)
}

async function createIdentity(db: Schema): Promise<void> {
	await createTable(db, 'workspaces', { id, name: text, ...owned })
	await createTable(db, 'users', {
		id,
		email: unique,
		name: text,
		password_hash: optional(text),
		verified: flag,
		operator: flag,
		...owned,
	})
	await createTable(
		db,
		'members',
		{ workspace_id: of('workspaces.id'), user_id: of('users.id'), role: text, created_at: time },
		(table) => table.addPrimaryKeyConstraint('members_pk', ['workspace_id', 'user_id']),
	)
	await createIndex(db, 'members', ['user_id'])
	await createTable(db, 'sessions', {
		id,
		user_id: of('users.id'),
		workspace_id: of('workspaces.id'),
		refresh_hash: unique,
		previous_refresh_hash: optional(text),
		rotated_at: time,
		user_agent: text,
		address: text,
		created_at: time,
		last_used_at: time,
		expires_at: time,
		revoked_at: optional(time),
	})
	await createIndex(db, 'sessions', ['user_id'])
	await createIndex(db, 'sessions', ['previous_refresh_hash'])
	await createTable(db, 'setup_links', { id, secret_hash: unique, expires_at: time, used_at: optional(time) })
	await createTable(db, 'signing_keys', { id, public_jwk: json, sealed_private_jwk: text, created_at: time })
}

async function createAgentsAndServers(db: Schema): Promise<void> {
	const agent = {
		id,
		workspace_id: of('workspaces.id'),
		name: text,
		description: text,
		status: text,
		last_seen_at: optional(time),
		...owned,
	}
	await createTable(db, 'agents', agent, (table) =>
		table.addUniqueConstraint('agents_name', ['workspace_id', 'name']),
	)
	await createTable(db, 'credentials', {
		id,
		workspace_id: of('workspaces.id'),
		kind: text,
		name: text,
		hash: unique,
		prefix: text,
		last4: text,
		scopes: json,
		agent_id: column('text', (built) => built.references('agents.id').onDelete('cascade')),
		created_by: optional(text),
		created_at: time,
		last_used_at: optional(time),
		expires_at: optional(time),
		revoked_at: optional(time),
	})
	await createIndex(db, 'credentials', ['workspace_id', 'kind'])
	await createServers(db)
}

async function createServers(db: Schema): Promise<void> {
	const server = {
		id,
		workspace_id: of('workspaces.id'),
		name: text,
		slug: text,
		description: text,
		endpoint_url: text,
		transport_type: text,
		hosting_mode: text,
		status: text,
		health_status: text,
		failures: count,
		last_health_check: time,
		last_latency_ms: optional(column('double precision')),
		last_error: optional(text),
		protocol_version: optional(text),
		configuration: json,
		sealed_headers: optional(text),
		tools_refreshed_at: optional(time),
		...owned,
	}
	await createTable(db, 'mcp_servers', server, (table) =>
		table
			.addUniqueConstraint('mcp_servers_name', ['workspace_id', 'name'])
			.addUniqueConstraint('mcp_servers_slug', ['workspace_id', 'slug']),
	)
	const tool = {
		server_id: of('mcp_servers.id'),
		workspace_id: of('workspaces.id'),
		name: text,
		definition: json,
		hash: text,
		position: count,
	}
	await createTable(db, 'mcp_tools', tool, (table) =>
		table.addPrimaryKeyConstraint('mcp_tools_pk', ['server_id', 'name']),
	)
}

async function createGrantsAndConnections(db: Schema): Promise<void> {
	const grant = {
		id,
		workspace_id: of('workspaces.id'),
		server_id: of('mcp_servers.id'),
		agent_id: of('agents.id'),
		access_mode: text,
		allowed_tools: optional(json),
		enabled: flag,
		...owned,
	}
	await createTable(db, 'access_grants', grant, (table) =>
		table.addUniqueConstraint('access_grants_pair', ['server_id', 'agent_id']),
	)
	await createIndex(db, 'access_grants', ['workspace_id', 'agent_id'])
	const connection = {
		id,
		workspace_id: of('workspaces.id'),
		name: text,
		provider: text,
		base_url: text,
		sealed_key: optional(text),
		last4: optional(text),
		...owned,
	}
	await createTable(db, 'connections', connection, (table) =>
		table.addUniqueConstraint('connections_name', ['workspace_id', 'name']),
	)
}

async function createRecords(db: Schema): Promise<void> {
	await createTable(db, 'mcp_sessions', {
		id,
		workspace_id: of('workspaces.id'),
		agent_id: of('agents.id'),
		credential_id: of('credentials.id'),
		server_id: optional(text),
		state: json,
		created_at: time,
		last_used_at: time,
	})
	await createIndex(db, 'mcp_sessions', ['last_used_at'])
	const record = {
		workspace_id: text,
		seq: column('bigint'),
		id: text,
		at: time,
		actor_kind: text,
		actor_id: optional(text),
		actor_name: text,
		action: text,
		target_kind: optional(text),
		target_id: optional(text),
		target_name: optional(text),
		detail: json,
		request_id: optional(text),
		chain: text,
	}
	await createTable(db, 'audit_log', record, (table) =>
		table.addPrimaryKeyConstraint('audit_log_pk', ['workspace_id', 'seq']),
	)
	// `seq` is given by the writer under a lock (see platform/changes.ts): a sequence would let a reader skip a slow commit.
	await createTable(db, 'changes', {
		seq: column('bigint', (built) => built.primaryKey().notNull()),
		kind: text,
		entity_id: text,
		at: time,
	})
}
