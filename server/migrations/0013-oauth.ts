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
}
