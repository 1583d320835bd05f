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
} from '../src/platform/database/ddl.ts'

const large = column('bigint')

/** Where telemetry and audit records are sent as they are stored, and how far each signal is; spans that are mapped anew. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(db, 'forwarders', {
		id,
		workspace_id: of('workspaces.id'),
		name: text,
		kind: text,
		url: text,
		filter: json,
		sealed_headers: optional(text),
		header_names: json,
		enabled: flag,
		...owned,
	})
	await createIndex(db, 'forwarders', ['workspace_id', 'created_at'])
	await createTable(
		db,
		'forwarder_cursors',
		{
			forwarder_id: of('forwarders.id'),
			signal: text,
			workspace_id: text,
			position: text,
			settled_at: time,
			sent: large,
			refused: large,
			last_refusal: optional(text),
			sent_at: optional(time),
			error: optional(text),
			failing_since: optional(time),
			attempts: count,
			next_at: optional(time),
		},
		(table) => table.addPrimaryKeyConstraint('forwarder_cursors_pk', ['forwarder_id', 'signal']),
	)
	await createTable(db, 'renormalisations', {
		id,
		workspace_id: of('workspaces.id'),
		start_ms: time,
		end_ms: time,
		dialect: optional(text),
		status: text,
		spans: large,
		partition_id: optional(text),
		stage: text,
		stage_started_at: optional(time),
		stored_up_to: optional(time),
		created_at: time,
		finished_at: optional(time),
	})
	await createIndex(db, 'renormalisations', ['workspace_id', 'created_at'])
}
