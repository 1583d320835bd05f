import type { Kysely } from 'kysely'
import {
	addColumns,
	count,
	createTable,
	id,
	json,
	optional,
	text,
	time,
} from '../src/platform/database/ddl.ts'

/** Rotation and allowed addresses of credentials, when provider keys were used, and the instance's own keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'credentials', {
		allowed_addresses: optional(json),
		next_hash: optional(text),
		next_prefix: optional(text),
		next_last4: optional(text),
		next_created_at: optional(time),
		next_grace_ms: optional(time),
		previous_hash: optional(text),
		previous_prefix: optional(text),
		previous_last4: optional(text),
		previous_expires_at: optional(time),
		rotated_at: optional(time),
	})
	await addColumns(db, 'connections', { last_used_at: optional(time) })
	await createTable(db, 'instance_keys', { id, sealed_value: text, created_at: time })
	await createTable(db, 'master_key_rotations', {
		id,
		state: text,
		done: count,
		total: count,
		error: optional(text),
		started_at: time,
		finished_at: optional(time),
	})
}
