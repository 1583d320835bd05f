import type { Kysely } from 'kysely'
import {
	column,
	count,
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

/** Links to people's mailboxes, and what is remembered of refused attempts. */
export async function up(db: Schema): Promise<void> {
	await createTable(db, 'account_tokens', {
		id,
		user_id: of('users.id'),
		purpose: text,
		email: text,
		hash: unique,
		created_at: time,
		expires_at: time,
		used_at: optional(time),
	})
	await createIndex(db, 'account_tokens', ['user_id'])
	await createIndex(db, 'account_tokens', ['expires_at'])
	await createTable(db, 'mail_links', {
		id,
		token_hash: unique,
		recipient: text,
		subject: text,
		sealed_link: text,
		created_at: time,
		expires_at: time,
	})
	await createIndex(db, 'mail_links', ['expires_at'])
	const key = column('text', (built) => built.primaryKey().notNull())
	await createTable(db, 'login_failures', { key, count, last_at: time })
	await createIndex(db, 'login_failures', ['last_at'])
	await createTable(db, 'denial_counts', { address: text, minute: time, code: text, count }, (table) =>
		table.addPrimaryKeyConstraint('denial_counts_pk', ['minute', 'address', 'code']),
	)
}
