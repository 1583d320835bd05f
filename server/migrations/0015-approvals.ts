import type { Kysely } from 'kysely'
import {
	addColumns,
	count,
	createIndex,
	createTable,
	id,
	json,
	of,
	optional,
	text,
	time,
} from '../src/platform/database/ddl.ts'

type Schema = Kysely<unknown>

/** Approvals of calls, requests for access, and the limits of calls by agent, server and grant. */
export async function up(db: Schema): Promise<void> {
	const approval = {
		id,
		workspace_id: of('workspaces.id'),
		agent_id: of('agents.id'),
		server_id: of('mcp_servers.id'),
		tool: text,
		open_key: optional(text),
		sealed_arguments: text,
		credential_id: text,
		approver: text,
		status: text,
		reason: optional(text),
		decided_at: optional(time),
		decided_by_kind: optional(text),
		decided_by_id: optional(text),
		decided_by_name: optional(text),
		valid_until: optional(time),
		for_minutes: optional(count),
		used_at: optional(time),
		requested_at: time,
		expires_at: time,
	}
	await createTable(db, 'approvals', approval, (table) =>
		table.addUniqueConstraint('approvals_open', ['open_key']),
	)
	await createIndex(db, 'approvals', ['workspace_id', 'requested_at'])
	await createIndex(db, 'approvals', ['agent_id', 'status'])
	await createIndex(db, 'approvals', ['server_id'])
	await createIndex(db, 'approvals', ['status', 'expires_at'])
	await createRequests(db)
	await addColumns(db, 'access_grants', {
		approver: optional(text),
		approval_wait_ms: optional(count),
		call_limits: optional(json),
	})
	await addColumns(db, 'agents', { call_limits: optional(json) })
	await addColumns(db, 'mcp_servers', { call_limits: optional(json) })
}

async function createRequests(db: Schema): Promise<void> {
	const request = {
		id,
		workspace_id: of('workspaces.id'),
		agent_id: of('agents.id'),
		server_id: of('mcp_servers.id'),
		tool: optional(text),
		open_key: optional(text),
		reason: text,
		status: text,
		requested_by_id: text,
		requested_by_name: text,
		requested_at: time,
		decided_by: optional(text),
		decided_at: optional(time),
	}
	await createTable(db, 'access_requests', request, (table) =>
		table.addUniqueConstraint('access_requests_open', ['open_key']),
	)
	await createIndex(db, 'access_requests', ['workspace_id', 'requested_at'])
	await createIndex(db, 'access_requests', ['agent_id'])
	await createIndex(db, 'access_requests', ['server_id'])
}
