import type { Kysely } from 'kysely'
import {
	addColumns,
	createIndex,
	createTable,
	id,
	of,
	optional,
	text,
	time,
	unique,
} from '../src/platform/database/ddl.ts'

type Schema = Kysely<unknown>

/** What people let their clients do here by OAuth, and the agents that are theirs. */
export async function up(db: Schema): Promise<void> {
	await addColumns(db, 'credentials', { audience: optional(text) })
	await createTable(db, 'oauth_grants', {
		id,
		workspace_id: of('workspaces.id'),
		user_id: of('users.id'),
		agent_id: of('agents.id'),
		client_id: text,
		client_name: text,
		redirect_uri: text,
		resource: text,
		scope: text,
		code_hash: unique,
		code_challenge: text,
		code_expires_at: time,
		refresh_hash: optional(text),
		previous_refresh_hash: optional(text),
		refreshed_at: optional(time),
		created_at: time,
		expires_at: time,
		revoked_at: optional(time),
	})
	await createIndex(db, 'oauth_grants', ['workspace_id', 'user_id'])
	await createIndex(db, 'oauth_grants', ['user_id'])
	await createIndex(db, 'oauth_grants', ['agent_id'])
	await createIndex(db, 'oauth_grants', ['code_expires_at'])
	await createTable(
		db,
		'personal_agents',
		{ workspace_id: of('workspaces.id'), user_id: of('users.id'), agent_id: of('agents.id') },
		(table) => table.addPrimaryKeyConstraint('personal_agents_pk', ['workspace_id', 'user_id']),
	)
	await createIndex(db, 'personal_agents', ['agent_id'])
	await createUpstreamTables(db)
}

/** How servers are given credentials by OAuth, the tokens themselves, and consents under way. */
async function createUpstreamTables(db: Schema): Promise<void> {
	const owned = { id, workspace_id: of('workspaces.id') }
	await createTable(db, 'upstream_auth', {
		...owned,
		server_id: of('mcp_servers.id'),
		mode: text,
		owner: text,
		issuer: optional(text),
		client_id: optional(text),
		sealed_client_secret: optional(text),
		scope: optional(text),
		updated_at: time,
	})
	const held = { ...owned, server_id: of('mcp_servers.id'), owner: text, owner_id: text, issuer: text }
	await createTable(
		db,
		'upstream_tokens',
		{
			...held,
			origin: text,
			sealed_tokens: text,
			scope: optional(text),
			status: text,
			expires_at: optional(time),
			lease_until: optional(time),
			created_at: time,
			updated_at: time,
		},
		(table) => table.addUniqueConstraint('upstream_tokens_owner', ['server_id', 'owner', 'owner_id']),
	)
	await createIndex(db, 'upstream_tokens', ['workspace_id'])
	await createTable(db, 'upstream_flows', {
		...held,
		user_id: of('users.id'),
		state_hash: unique,
		browser_hash: text,
		origin: text,
		sealed_secrets: text,
		created_at: time,
		expires_at: time,
	})
	for (const column of ['workspace_id', 'server_id', 'user_id', 'expires_at'])
		await createIndex(db, 'upstream_flows', [column])
	for (const column of ['workspace_id', 'server_id']) await createIndex(db, 'upstream_auth', [column])
}
