import type { BodyOf, serverOperations } from '@signalbox/contract'
import { appendChange } from '../platform/changes.ts'
import { duplicateOf } from '../platform/database/index.ts'
import { Problem } from '../platform/errors.ts'
import { refuseChanged } from '../platform/unchanged.ts'
import { askServer, type Outcome, valuesOf } from './check-server.ts'
import { type Caller, recordChange, type ServerContext, serverOrNotFound } from './context.ts'
import { creationCheckMs, nameTaken, refuseBlocked } from './create-server.ts'
import { presentServerFields } from './present-server.ts'
import { type ServerRow, updateServer } from './repository.ts'
import { openHeaders, parseHeaders, sealHeaders } from './stored-headers.ts'
import { replaceTools } from './tools-repository.ts'

export type ServerChange = BodyOf<(typeof serverOperations)['update']>

const readOnly = [
	'id',
	'slug',
	'transport_type',
	'hosting_mode',
	'health_status',
	'last_health_check',
	'created_at',
	'updated_at',
	'agent_access',
]
const moving = ['last_health_check', 'updated_at']

/** Changes a server. Another address is checked as at creation; another origin erases the headers stored for the old one. */
export async function changeServer(
	servers: ServerContext,
	caller: Caller,
	id: string,
	change: ServerChange,
): Promise<ServerRow> {
	const before = await serverOrNotFound(servers.store.db, caller.workspaceId, id)
	const access = change.agent_access && (await servers.accessOf(caller.workspaceId, id))
	refuseChanged(change, { ...presentServerFields(before), agent_access: access }, readOnly, moving)
	const url = urlOf(change) ?? before.endpoint_url
	const status = statusAfter(before, change)
	const moved = url !== before.endpoint_url || change.headers !== undefined
	const headers = moved ? headersAfter(servers, before, url, change) : new Map<string, string>()
	if (url !== before.endpoint_url) servers.safeFetch.assertUrl(url)
	const outcome = moved
		? refuseBlocked(await askServer(servers, { url, headers, transportType: null }, creationCheckMs))
		: null
	const nowMs = servers.clock.nowMs()
	const values = {
		name: change.name ?? before.name,
		description: change.description ?? before.description,
		endpoint_url: url,
		status,
		configuration: change.configuration ? JSON.stringify(change.configuration) : before.configuration,
		sealed_headers: moved
			? sealHeaders(servers.sealer, { ...before, endpoint_url: url }, headers)
			: before.sealed_headers,
		updated_at: nowMs,
		...healthAfter(before, status, outcome, nowMs),
	}
	return store(servers, caller, { before, values, outcome })
}

/** `url` and `endpoint_url` are two names of one field; both may be given when they agree. */
function urlOf({ url, endpoint_url }: ServerChange): string | undefined {
	if (url === undefined || endpoint_url === undefined || url === endpoint_url) return url ?? endpoint_url
	const detail = 'differs from endpoint_url, which is another name of it'
	throw new Problem('invalid_request', `body/url: ${detail}.`, {
		errors: [{ pointer: '/url', code: 'conflict', detail }],
	})
}

function headersAfter(
	servers: ServerContext,
	before: ServerRow,
	url: string,
	change: ServerChange,
): ReadonlyMap<string, string> {
	if (change.headers) return parseHeaders(change.headers)
	const sameOrigin = URL.parse(url)?.origin === new URL(before.endpoint_url).origin
	return sameOrigin ? openHeaders(servers.sealer, before) : new Map()
}

function statusAfter(before: ServerRow, { status }: ServerChange): string {
	if (status === undefined || status === before.status) return before.status
	if (status === 'active' || status === 'inactive') return status
	const detail = 'can be set to active or inactive'
	throw new Problem('invalid_request', `body/status: ${detail}.`, {
		errors: [{ pointer: '/status', code: 'enum', detail }],
	})
}

/** Health is unknown after re-activation, until the next check. */
function healthAfter(before: ServerRow, status: string, outcome: Outcome | null, nowMs: number) {
	const reset = { health_status: 'unknown', failures: 0, tools_refreshed_at: before.tools_refreshed_at }
	if (outcome) return { protocol_version: null, ...valuesOf(reset, outcome, nowMs) }
	return status === 'active' && before.status !== 'active' ? { health_status: 'unknown', failures: 0 } : {}
}

async function store(
	servers: ServerContext,
	caller: Caller,
	{ before, values, outcome }: { before: ServerRow; values: Partial<ServerRow>; outcome: Outcome | null },
): Promise<ServerRow> {
	return servers.mutate(async (tx) => {
		const current = await serverOrNotFound(tx, caller.workspaceId, before.id)
		if (current.updated_at !== before.updated_at)
			throw new Problem(
				'conflict',
				'The server was changed by another request at the same time; read it again.',
			)
		await updateServer(tx, caller.workspaceId, before.id, values).catch((error: unknown) => {
			throw duplicateOf(error) === null ? error : nameTaken()
		})
		if (outcome && !(outcome instanceof Error) && outcome.tools)
			await replaceTools(tx, caller.workspaceId, before.id, outcome.tools)
		const row = { ...current, ...values }
		await recordChange(tx, servers, caller, 'servers.update', row, changedFields(before, row))
		await appendChange(tx, 'server', before.id, servers.clock)
		return row
	})
}

/** What the audit log tells of a change: new values, and of secrets only that they changed. */
function changedFields(before: ServerRow, after: ServerRow): Record<string, unknown> {
	const shown = ['name', 'description', 'endpoint_url', 'status', 'configuration'] as const
	const changed = shown.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]])
	return {
		...Object.fromEntries(changed),
		...(before.sealed_headers !== after.sealed_headers && {
			headers: after.sealed_headers === null ? 'erased' : 'changed',
		}),
	}
}
