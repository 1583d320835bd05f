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

/** Requests that carry an Idempotency-Key, and the rate limits that workspaces set for themselves. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(db, 'idempotency_keys', {
		id,
		workspace_id: of('workspaces.id'),
		claim_id: text,
		state: text,
		sealed_request: text,
		sealed_answer: optional(text),
		claimed_at: time,
		expires_at: time,
	})
	await createIndex(db, 'idempotency_keys', ['expires_at'])
	await createTable(
		db,
		'rate_limits',
		{
			workspace_id: of('workspaces.id'),
			class: text,
			requests: optional(count),
			window_s: optional(count),
			updated_at: time,
		},
		(table) => table.addPrimaryKeyConstraint('rate_limits_pk', ['workspace_id', 'class']),
	)
}
