import type { BodyOf, serverOperations } from '@signalbox/contract'
import { appendChange } from '../platform/changes.ts'
import { duplicateOf } from '../platform/database/database.ts'
import { Problem } from '../platform/errors.ts'
import { parseHeaders } from '../platform/http/read-body.ts'
import { newId } from '../platform/ids.ts'
import { freeSlug } from '../platform/slug.ts'
import {
	noteCheck,
	type Outcome,
	overNetwork,
	prepareOutcome,
	queryServer,
	scheduleCheck,
	storeSeenTools,
	valuesOf,
} from './check-server.ts'
import { UpstreamFailure } from './discovery/discovery.ts'
import { aliasesText, requireFreeNames, takenPrefixes } from './exposed-names.ts'
import { pendingOf } from './further-discovery.ts'
import { scheduleInstall } from './install-program.ts'
import { parsePackageCommand } from './program-spec-of.ts'
import { malformed, programColumns, requireProgramRight } from './programs.ts'
import { readConfiguration, requireSoundConfiguration } from './server-configuration.ts'
import { type Caller, recordChange, type ServerContext } from './server-context.ts'
import { hasServerNamed, insertServer, type ServerRow } from './server-repository.ts'
import { sealHeaders } from './stored-headers.ts'

type Created = BodyOf<(typeof serverOperations)['create']>

export const creationTimeouts = { messageMs: 3000, totalMs: 3000 }
const maxAttempts = 3

/** A server to be stored, and the outcome of its first check; null for a program, which is not started. */
interface NewServer {
	row: ServerRow
	outcome: Outcome | null
}

/** Registers a server and checks it, for at most 3 s. A server that does not respond is registered as unhealthy. */
export async function createServer(
	servers: ServerContext,
	caller: Caller,
	body: Created,
): Promise<ServerRow> {
	const isProgram = isProgramGiven(body)
	requireSoundConfiguration(body.configuration)
	if (isProgram) requireProgramRight(servers, caller)
	if (await hasServerNamed(servers.store.db, caller.workspaceId, body.name)) throw nameTaken()
	const made = isProgram ? newProgram(servers, caller, body) : await newRemote(servers, caller, body)
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await store(servers, caller, made, body.slug ?? body.name)
		} catch (error) {
			const duplicate = duplicateOf(error)
			if (duplicate === null || (duplicate.includes('slug') && attempt === maxAttempts)) throw error
			if (!duplicate.includes('slug')) throw nameTaken()
		}
	}
}

const again = 'It is checked again in the background, with more time.'
const lateText = `It did not answer within 3 s. ${again}`

/** Whether the first check did not finish within the time limit of a creation. */
export function isCheckPending(row: Pick<ServerRow, 'introduction' | 'last_error'>): boolean {
	return pendingOf(row) !== null || (row.last_error?.endsWith(again) ?? false)
}

/** Adds to the outcome for a server that was late, with everything or with its tools, that the check continues. */
export function withLateNotice(outcome: Outcome): Outcome {
	if (!(outcome instanceof UpstreamFailure))
		return outcome.areToolsLate ? { ...outcome, toolsFailure: lateText } : outcome
	return outcome.late ? new UpstreamFailure(lateText, { late: true, cause: outcome }) : outcome
}

export function dueImmediately(row: ServerRow): ServerRow {
	return { ...row, health_status: 'unknown' }
}

/** A target that our address rules refuse is an error of the request; one that is merely down is not. */
export function refuseBlocked(outcome: Outcome): Outcome {
	if (outcome instanceof Error && outcome.blocked)
		throw new Problem('blocked_address', outcome.message, { cause: outcome })
	return outcome
}

export function nameTaken(): Problem {
	return new Problem('name_taken', 'An MCP server of this name exists already.')
}

/** Whether the body describes a program; it must be either a URL or a program, with the fields that belong to it. */
function isProgramGiven({ url, command, args, env, headers, transport_type }: Created): boolean {
	const isProgram = command !== undefined || transport_type === 'stdio'
	if (isProgram && command === undefined) throw malformed('/command', 'is required for stdio')
	if (isProgram && url !== undefined) throw malformed('/url', 'cannot be given with a command')
	if (isProgram && headers) throw malformed('/headers', 'cannot be given with a command')
	if (isProgram && transport_type && transport_type !== 'stdio')
		throw malformed('/transport_type', 'is stdio for a command')
	if (!isProgram && (args || env)) throw malformed(args ? '/args' : '/env', 'needs a command')
	if (!isProgram && url === undefined) throw malformed('/url', 'is required, or a command')
	return isProgram
}

/** Slugs that would collide with our own paths. */
const reservedSlugs = ['platform']

function store(
	servers: ServerContext,
	caller: Caller,
	{ row, outcome }: NewServer,
	nameForSlug: string,
): Promise<ServerRow> {
	return servers.mutate(async (tx) => {
		const taken = await takenPrefixes(tx, caller.workspaceId)
		const slug = freeSlug(nameForSlug, new Set([...reservedSlugs, ...taken]), 'server')
		const endpoint_url = row.endpoint_url || `${servers.publicAddress()}/mcp/${slug}`
		const stored = { ...row, slug, endpoint_url }
		await requireFreeNames(tx, caller.workspaceId, stored)
		await insertServer(tx, stored)
		if (outcome) await noteCheck(tx, stored, outcome)
		if (outcome) await storeSeenTools(tx, servers, { ...stored, tools_refreshed_at: null }, outcome)
		await scheduleCheck(tx, servers, isCheckPending(stored) ? dueImmediately(stored) : stored)
		await scheduleInstall(tx, servers, stored)
		await recordChange(tx, servers, caller, 'servers.create', stored, auditDetail(stored))
		await appendChange(tx, 'server', row.id, servers.clock)
		return stored
	})
}

function auditDetail({ name, endpoint_url, transport_type, command, args }: ServerRow) {
	const program = command === '' ? {} : { command, args: JSON.parse(args) as string[] }
	return { name, endpoint_url, transport_type, ...program }
}

async function newRemote(servers: ServerContext, caller: Caller, body: Created): Promise<NewServer> {
	const { url = '', transport_type } = body
	const headers = parseHeaders(body.headers ?? {})
	servers.safeFetch.assertUrl(url)
	const transportType = transport_type === 'http' || transport_type === 'sse' ? transport_type : null
	const row = newRow(servers, caller, body)
	const { speaksLegacy } = readConfiguration(row.configuration)
	const target = { url, headers, transportType, speaksLegacy }
	const outcome = withLateNotice(
		refuseBlocked(await queryServer(overNetwork(servers), target, creationTimeouts)),
	)
	await prepareOutcome(servers, row, outcome)
	const bound = { ...row, endpoint_url: url, transport_type: transportType ?? 'http' }
	return {
		row: {
			...bound,
			sealed_headers: sealHeaders(servers.sealer, bound, headers),
			...valuesOf({ health_status: 'unknown', failures: 0 }, outcome, servers.clock.nowMs()),
		},
		outcome,
	}
}

/** The package is installed without running any of its code. Nothing starts before a person accepts it. */
function newProgram(servers: ServerContext, caller: Caller, body: Created): NewServer {
	const row = newRow(servers, caller, body)
	const hosted = {
		transport_type: 'stdio',
		hosting_mode: 'hosted',
		status: parsePackageCommand(body.command ?? '', body.args ?? []) ? 'deploying' : 'active',
		...{
			health_status: 'unhealthy',
			last_error: 'The program has not been started: it waits until somebody accepts it.',
		},
	}
	return { row: { ...row, ...hosted, ...programColumns(servers.sealer, row, body, caller) }, outcome: null }
}

/** Null if there are none, which saves calls a check. */
export function limitsText(limits: Created['call_limits'] = {}): string | null {
	return Object.keys(limits).length === 0 ? null : JSON.stringify(limits)
}

function newRow(servers: ServerContext, { workspaceId }: Caller, body: Created): ServerRow {
	const nowMs = servers.clock.nowMs()
	return {
		...{ id: newId(nowMs), workspace_id: workspaceId, name: body.name, slug: '' },
		description: body.description ?? '',
		...{ endpoint_url: '', transport_type: 'http', hosting_mode: 'remote', status: 'active' },
		...{ health_status: 'unknown', failures: 0, last_health_check: nowMs, last_latency_ms: null },
		...{ last_error: null, protocol_version: null, introduction: null },
		...{ command: '', args: '[]', sealed_env: null, sealed_headers: null },
		...{ allowed_hosts: '[]', package: null, unsandboxed: null, restarted_at: null },
		configuration: JSON.stringify(body.configuration ?? {}),
		call_limits: limitsText(body.call_limits),
		max_result_bytes: body.max_result_bytes ?? null,
		tool_prefix: body.tool_prefix ?? null,
		tool_aliases: aliasesText(body.tool_aliases),
		tools_refreshed_at: null,
		definition_policy: body.definition_policy ?? 'keep-approved',
		created_at: nowMs,
		updated_at: nowMs,
	}
}
