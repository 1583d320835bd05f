import type { Kysely } from 'kysely'
import {
	addColumns,
	createIndex,
	createTable,
	flag,
	id,
	json,
	of,
	optional,
	text,
	time,
	unique,
	withDefault,
} from '../src/platform/database/ddl.ts'

/** Sign-in by accounts at other providers, and memberships that come from their groups. */
export async function up(db: Kysely<unknown>): Promise<void> {
	const identity = {
		id,
		issuer: text,
		subject: text,
		user_id: of('users.id'),
		email: optional(text),
		made_account: flag,
		created_at: time,
		last_used_at: time,
	}
	await createTable(db, 'federated_identities', identity, (table) =>
		table.addUniqueConstraint('federated_identities_subject', ['issuer', 'subject']),
	)
	await createIndex(db, 'federated_identities', ['user_id'])
	await createTable(db, 'sign_in_flows', {
		id,
		state_hash: unique,
		browser_hash: text,
		provider: text,
		issuer: text,
		sealed_secrets: text,
		return_to: text,
		link_session_id: optional(text),
		created_at: time,
		expires_at: time,
	})
	await createIndex(db, 'sign_in_flows', ['expires_at'])
	await addColumns(db, 'members', {
		source: withDefault(text, 'manual'),
		agent_groups: withDefault(json, '[]'),
	})
}
