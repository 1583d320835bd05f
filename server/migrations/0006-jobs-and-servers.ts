import type { Kysely } from 'kysely'
import {
	addColumns,
	column,
	count,
	createIndex,
	createTable,
	id,
	json,
	of,
	optional,
	text,
	time,
	withDefault,
} from '../src/platform/database/ddl.ts'

type Schema = Kysely<unknown>

/** Background jobs, the history of health checks, programs as servers, and indexes for long lists of servers. */
export async function up(db: Schema): Promise<void> {
	await createJobs(db)
	await createHealthChecks(db)
	await addColumns(db, 'mcp_servers', {
		command: withDefault(text, ''),
		args: withDefault(json, '[]'),
		sealed_env: optional(text),
	})
	for (const sort of ['created_at', 'updated_at'])
		await createIndex(db, 'mcp_servers', ['workspace_id', sort, 'id'])
}

async function createJobs(db: Schema): Promise<void> {
	const job = {
		id,
		kind: text,
		key: text,
		workspace_id: column('text', (built) => built.references('workspaces.id').onDelete('cascade')),
		payload: json,
		run_at: time,
		again_at: optional(time),
		attempts: count,
		lease_holder: optional(text),
		fence: count,
		last_error: optional(text),
		created_at: time,
	}
	await createTable(db, 'jobs', job, (table) => table.addUniqueConstraint('jobs_key', ['kind', 'key']))
	await createIndex(db, 'jobs', ['run_at'])
	await createIndex(db, 'jobs', ['kind', 'run_at'])
	await createIndex(db, 'jobs', ['workspace_id'])
}

async function createHealthChecks(db: Schema): Promise<void> {
	const check = {
		id,
		server_id: of('mcp_servers.id'),
		workspace_id: of('workspaces.id'),
		at: time,
		status: text,
		latency_ms: optional(column('double precision')),
		error: optional(text),
		protocol_version: optional(text),
		tools: optional(count),
	}
	await createTable(db, 'health_checks', check)
	await createIndex(db, 'health_checks', ['server_id', 'id'])
	await createIndex(db, 'health_checks', ['workspace_id'])
	await createIndex(db, 'health_checks', ['at'])
}
