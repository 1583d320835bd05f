import { type Kysely, sql } from 'kysely'
import {
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
} from '../src/platform/database/ddl.ts'

type Schema = Kysely<unknown>

/** The ends of audit chains kept a second time, the outbox of events, webhooks and their deliveries. */
export async function up(db: Schema): Promise<void> {
	await createAnchors(db)
	for (const filtered of ['action', 'actor_id', 'target_id'])
		await createIndex(db, 'audit_log', ['workspace_id', filtered, 'seq'])
	await createEvents(db)
	await createWebhooks(db)
}

/** The ends of chains from before have no MAC yet: the program gives it at its next start. */
async function createAnchors(db: Schema): Promise<void> {
	await createTable(db, 'audit_heads', { workspace_id: id, seq: time, chain: text, mac: text })
	await createTable(db, 'audit_totals', { id, chains: time, records: time, mac: text })
	await sql`insert into audit_heads select workspace_id, seq, chain, '' from audit_log where seq =
		(select max(seq) from audit_log as own where own.workspace_id = audit_log.workspace_id)`.execute(db)
	await sql`insert into audit_totals select 'all', count(distinct workspace_id), count(*), '' from audit_log
		having count(*) > 0`.execute(db)
}

async function createEvents(db: Schema): Promise<void> {
	const event = { workspace_id: of('workspaces.id'), seq: time, id: text, type: text, at: time, data: json }
	await createTable(db, 'events', event, (table) =>
		table.addPrimaryKeyConstraint('events_pk', ['workspace_id', 'seq']),
	)
	await createIndex(db, 'events', ['workspace_id', 'id'])
	await createIndex(db, 'events', ['at'])
}

async function createWebhooks(db: Schema): Promise<void> {
	await createTable(db, 'webhooks', {
		id,
		workspace_id: of('workspaces.id'),
		url: text,
		description: text,
		events: json,
		enabled: flag,
		disabled_reason: optional(text),
		sealed_secret: text,
		sealed_previous_secret: optional(text),
		previous_expires_at: optional(time),
		failing_since: optional(time),
		...owned,
	})
	await createIndex(db, 'webhooks', ['workspace_id'])
	await createTable(db, 'webhook_deliveries', {
		id,
		workspace_id: of('workspaces.id'),
		webhook_id: of('webhooks.id'),
		event_id: text,
		type: text,
		payload: json,
		status: text,
		attempts: count,
		next_at: optional(time),
		attempted_at: optional(time),
		response_status: optional(count),
		response_body: optional(text),
		duration_ms: optional(count),
		error: optional(text),
		created_at: time,
		finished_at: optional(time),
	})
	await createIndex(db, 'webhook_deliveries', ['webhook_id', 'id'])
	await createIndex(db, 'webhook_deliveries', ['webhook_id', 'next_at'])
	await createIndex(db, 'webhook_deliveries', ['workspace_id'])
	await createIndex(db, 'webhook_deliveries', ['finished_at'])
}
