import { type Kysely, sql } from 'kysely'
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

const real = column('double precision')

/** Saved questions, alerts with their states, and the history of these. The program gives each workspace its alerts. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await createTable(db, 'saved_questions', {
		id,
		workspace_id: of('workspaces.id'),
		name: text,
		read: text,
		time_range: text,
		filter: json,
		compare: flag,
		sort: text,
		...owned,
	})
	await createIndex(db, 'saved_questions', ['workspace_id', 'created_at'])
	await createTable(db, 'alerts', {
		id,
		workspace_id: of('workspaces.id'),
		kind: text,
		name: text,
		question_id: optional(text),
		figure: optional(text),
		test: optional(text),
		threshold: optional(real),
		for_s: count,
		interval_s: count,
		emails: json,
		enabled: flag,
		muted_until: optional(time),
		status: text,
		status_since: time,
		pending: optional(text),
		pending_since: optional(time),
		value: optional(real),
		reason: text,
		path: text,
		told: text,
		told_subjects: json,
		mail: optional(text),
		evaluated_at: optional(time),
		due_at: time,
		...owned,
	})
	await createIndex(db, 'alerts', ['workspace_id', 'created_at'])
	await createIndex(db, 'alerts', ['enabled', 'due_at'])
	await sql`create unique index alerts_built_in on alerts (workspace_id, kind) where kind <> 'question'`.execute(
		db,
	)
	await createTable(db, 'alert_transitions', {
		id,
		workspace_id: of('workspaces.id'),
		alert_id: of('alerts.id'),
		at: time,
		from_status: text,
		to_status: text,
		value: optional(real),
		reason: text,
		told: optional(text),
	})
	await createIndex(db, 'alert_transitions', ['alert_id', 'id'])
	await createIndex(db, 'alert_transitions', ['at'])
}
