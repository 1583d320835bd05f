import type { BodyOf, serverOperations } from '@signalbox/contract'
import { appendChange } from '../platform/changes.ts'
import { duplicateOf } from '../platform/database/index.ts'
import { Problem } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { askServer, type Outcome, valuesOf } from './check-server.ts'
import { type Caller, recordChange, type ServerContext } from './context.ts'
import { hasServerNamed, insertServer, listSlugs, type ServerRow } from './repository.ts'
import { freeSlug } from './slug.ts'
import { parseHeaders, sealHeaders } from './stored-headers.ts'
import { replaceTools } from './tools-repository.ts'

type Created = BodyOf<(typeof serverOperations)['create']>

export const creationCheckMs = 3000
const attemptsMax = 3

/** Registers a server and checks it, for at most 3 s; one that does not answer is registered as unhealthy. */
export async function createServer(
	servers: ServerContext,
	caller: Caller,
	body: Created,
): Promise<ServerRow> {
	const headers = parseHeaders(body.headers ?? {})
	servers.safeFetch.assertUrl(body.url)
	if (await hasServerNamed(servers.store.db, caller.workspaceId, body.name)) throw nameTaken()
	const target = { url: body.url, headers, transportType: body.transport_type ?? null }
	const outcome = refuseBlocked(await askServer(servers, target, creationCheckMs))
	const row = newRow(servers, caller, body, outcome, headers)
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await store(servers, caller, row, body.slug ?? body.name, outcome)
		} catch (error) {
			const duplicate = duplicateOf(error)
			if (duplicate === null || (duplicate.includes('slug') && attempt === attemptsMax)) throw error
			if (!duplicate.includes('slug')) throw nameTaken()
		}
	}
}

/** A target that our rules refuse is an error of the request; one that is merely down is not. */
export function refuseBlocked(outcome: Outcome): Outcome {
	if (outcome instanceof Error && outcome.blocked)
		throw new Problem('blocked_address', outcome.message, { cause: outcome })
	return outcome
}

export function nameTaken(): Problem {
	return new Problem('name_taken', 'An MCP server of this name exists already.')
}

function store(
	servers: ServerContext,
	caller: Caller,
	row: ServerRow,
	nameForSlug: string,
	outcome: Outcome,
): Promise<ServerRow> {
	return servers.mutate(async (tx) => {
		const stored = { ...row, slug: freeSlug(nameForSlug, await listSlugs(tx, caller.workspaceId)) }
		await insertServer(tx, stored)
		if (!(outcome instanceof Error) && outcome.tools)
			await replaceTools(tx, row.workspace_id, row.id, outcome.tools)
		const { name, endpoint_url, transport_type } = stored
		await recordChange(tx, servers, caller, 'servers.create', stored, { name, endpoint_url, transport_type })
		await appendChange(tx, 'server', row.id, servers.clock)
		return stored
	})
}

function newRow(
	servers: ServerContext,
	caller: Caller,
	body: Created,
	outcome: Outcome,
	headers: ReadonlyMap<string, string>,
): ServerRow {
	const nowMs = servers.clock.nowMs()
	const bound = { id: newId(nowMs), workspace_id: caller.workspaceId, endpoint_url: body.url }
	return {
		...bound,
		name: body.name,
		slug: '',
		description: body.description ?? '',
		transport_type: body.transport_type ?? 'http',
		hosting_mode: 'remote',
		status: 'active',
		protocol_version: null,
		configuration: JSON.stringify(body.configuration ?? {}),
		sealed_headers: sealHeaders(servers.sealer, bound, headers),
		tools_refreshed_at: null,
		created_at: nowMs,
		updated_at: nowMs,
		...valuesOf({ health_status: 'unknown', failures: 0 }, outcome, nowMs),
	}
}
