import { isDeepStrictEqual } from 'node:util'
import type { BodyOf, serverOperations } from '@signalbox/contract'
import { requireUnchanged } from '../platform/change-scope.ts'
import { appendChange } from '../platform/changes.ts'
import { duplicateOf } from '../platform/database/database.ts'
import { Problem } from '../platform/errors.ts'
import { parseHeaders } from '../platform/http/read-body.ts'
import { refuseChanged } from '../platform/unchanged.ts'
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
import {
	creationTimeouts,
	dueImmediately,
	isCheckPending,
	limitsText,
	nameTaken,
	refuseBlocked,
	withLateNotice,
} from './create-server.ts'
import { aliasesText, requireFreeNames } from './exposed-names.ts'
import { withoutPartialTools } from './further-discovery.ts'
import { scheduleInstall } from './install-program.ts'
import { presentServerFields } from './present-server.ts'
import { parsePackageCommand } from './program-spec-of.ts'
import { malformed, programColumns, requireProgramRight } from './programs.ts'
import { isInOtherEra, readConfiguration, requireSoundConfiguration } from './server-configuration.ts'
import { type Caller, recordChange, type ServerContext, serverOrNotFound } from './server-context.ts'
import { type ServerRow, updateServer } from './server-repository.ts'
import { openHeaders, sealHeaders } from './stored-headers.ts'
import { evaluateTools } from './tool-definitions/tool-definitions.ts'

export type ServerChange = BodyOf<(typeof serverOperations)['update']>

const readOnly = [
	'id',
	'slug',
	'transport_type',
	'hosting_mode',
	'health_status',
	'last_health_check',
	'header_names',
	'env_names',
	'created_at',
	'updated_at',
	'agent_access',
]
const moving = ['health_status', 'last_health_check', 'updated_at']

/** Changes a server. A new URL is checked as on creation; another origin erases the headers stored for the old one. */
export async function changeServer(
	servers: ServerContext,
	caller: Caller,
	id: string,
	change: ServerChange,
): Promise<ServerRow> {
	const before = await serverOrNotFound(servers.store.db, caller.workspaceId, id)
	const access = change.agent_access && (await servers.accessOf(caller.workspaceId, id))
	refuseChanged(
		change,
		{ ...presentServerFields(before, servers.sealer), agent_access: access },
		readOnly,
		moving,
	)
	requireSoundConfiguration(change.configuration)
	const configuration = configurationAfter(before, change)
	const status = statusAfter(before, change)
	const program = changedProgram(servers, caller, before, change)
	const move = before.hosting_mode === 'hosted' ? null : await askMoved(servers, before, change)
	const nowMs = servers.clock.nowMs()
	const values: Partial<ServerRow> = {
		updated_at: nowMs,
		...(change.name !== undefined && { name: change.name }),
		...(change.description !== undefined && { description: change.description }),
		...(change.definition_policy && { definition_policy: change.definition_policy }),
		...(change.configuration && { configuration }),
		...(isInOtherEra({ configuration }, before) && valuesForRecheck(nowMs)),
		...(change.call_limits && { call_limits: limitsText(change.call_limits) }),
		...(change.tool_prefix !== undefined && { tool_prefix: change.tool_prefix }),
		...(change.tool_aliases && { tool_aliases: aliasesText(change.tool_aliases) }),
		...(change.max_result_bytes !== undefined && { max_result_bytes: change.max_result_bytes }),
		...(status !== before.status && { status }),
		// Health is unknown after re-activation, until the next check.
		...(status === 'active' && before.status !== 'active' && { health_status: 'unknown', failures: 0 }),
		...program,
		...(move && {
			...move.values,
			...valuesOf({ health_status: 'unknown', failures: 0 }, move.outcome, nowMs),
		}),
	}
	return store(servers, caller, { before, values, move })
}

/** A program's command, arguments and environment; the fields of a server with a URL are not allowed. */
function changedProgram(
	servers: ServerContext,
	caller: Caller,
	before: ServerRow,
	change: ServerChange,
): Partial<ServerRow> {
	const shown = presentServerFields(before, servers.sealer)
	const command = change.command === shown.command ? undefined : change.command
	const args = isDeepStrictEqual(change.args, shown.args) ? undefined : change.args
	const { env } = change
	if (before.hosting_mode === 'hosted') refuseAddress(before, change)
	if (command === undefined && !args && !env) return {}
	requireProgramRight(servers, caller)
	if (before.hosting_mode !== 'hosted')
		throw malformed('/command', 'belongs to programs; register one as a new server')
	if (command === null) throw malformed('/command', 'cannot be taken from a program')
	const given = { command, args, env } as Parameters<typeof programColumns>[2]
	const columns = programColumns(servers.sealer, before, given, caller)
	return command === undefined && !args ? columns : { ...columns, ...asAnotherProgram(before, columns) }
}

/** The installed package belonged to the old command. An acceptance needs no reset: its fingerprint no longer matches. */
function asAnotherProgram(before: ServerRow, { command, args }: Partial<ServerRow>): Partial<ServerRow> {
	const given = JSON.parse(args ?? before.args) as string[]
	const isPackage = parsePackageCommand(command ?? before.command, given) !== null
	const isOn = before.status !== 'inactive'
	return {
		...{ package: null, protocol_version: null, introduction: null },
		...{ health_status: 'unknown', failures: 0 },
		...(isOn && { status: isPackage ? 'deploying' : 'active', last_error: null }),
	}
}

function refuseAddress(before: ServerRow, change: ServerChange): void {
	if ((urlOf(change) ?? before.endpoint_url) !== before.endpoint_url)
		throw malformed('/url', 'belongs to servers with an address')
	if (change.headers) throw malformed('/headers', 'belongs to servers with an address')
}

interface Move {
	values: Pick<ServerRow, 'endpoint_url' | 'sealed_headers' | 'protocol_version' | 'introduction'>
	outcome: Outcome
}

/** Null if neither the URL nor the headers change. */
async function askMoved(
	servers: ServerContext,
	before: ServerRow,
	change: ServerChange,
): Promise<Move | null> {
	const url = urlOf(change) ?? before.endpoint_url
	if (url === before.endpoint_url && change.headers === undefined) return null
	const headers = headersAfter(servers, before, servers.safeFetch.assertUrl(url).origin, change)
	const { speaksLegacy } = readConfiguration(configurationAfter(before, change))
	const target = { url, headers, transportType: null, speaksLegacy }
	const asked = withLateNotice(
		refuseBlocked(await queryServer(overNetwork(servers), target, creationTimeouts)),
	)
	const outcome = asked instanceof Error ? asked : withoutPartialTools(before, asked)
	await prepareOutcome(servers, before, outcome)
	const sealed = sealHeaders(servers.sealer, { ...before, endpoint_url: url }, headers)
	const unasked = { protocol_version: null, introduction: null }
	return { values: { endpoint_url: url, sealed_headers: sealed, ...unasked }, outcome }
}

/**
 * The next check, which runs at once, finds the revision it speaks now. A program keeps the era of its first message, so it is
 * restarted.
 */
function valuesForRecheck(nowMs: number): Partial<ServerRow> {
	return { health_status: 'unknown', failures: 0, restarted_at: nowMs }
}

function configurationAfter({ configuration }: ServerRow, change: ServerChange): string {
	return change.configuration ? JSON.stringify(change.configuration) : configuration
}

/** `url` and `endpoint_url` are two names for one field; both may be given if they agree. */
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
	origin: string,
	change: ServerChange,
): ReadonlyMap<string, string> {
	if (change.headers) return parseHeaders(change.headers)
	return origin === new URL(before.endpoint_url).origin ? openHeaders(servers.sealer, before) : new Map()
}

function statusAfter(before: ServerRow, { status }: ServerChange): string {
	if (status === undefined || status === before.status) return before.status
	if (status === 'active' || status === 'inactive') return status
	const detail = 'can be set to active or inactive'
	throw new Problem('invalid_request', `body/status: ${detail}.`, {
		errors: [{ pointer: '/status', code: 'enum', detail }],
	})
}

async function store(
	servers: ServerContext,
	caller: Caller,
	{ before, values, move }: { before: ServerRow; values: Partial<ServerRow>; move: Move | null },
): Promise<ServerRow> {
	const { workspaceId } = caller
	return servers.mutate(async (tx) => {
		if (values.tool_prefix || values.tool_aliases)
			await requireFreeNames(tx, workspaceId, { ...before, ...values })
		const current = await serverOrNotFound(tx, workspaceId, before.id)
		requireUnchanged(presentServerFields(current, servers.sealer))
		if (move && isElsewhere(current, before))
			throw new Problem('conflict', 'The address of the server was changed at the same time; read it again.')
		await updateServer(tx, workspaceId, before.id, values).catch((error: unknown) => {
			throw duplicateOf(error) === null ? error : nameTaken()
		})
		const row = { ...current, ...values }
		if (move) await noteCheck(tx, row, move.outcome)
		if (move) await storeSeenTools(tx, servers, current, move.outcome)
		if (row.definition_policy !== current.definition_policy) await evaluateTools(tx, servers.clock, row)
		await scheduleCheck(tx, servers, move && isCheckPending(row) ? dueImmediately(row) : row)
		await scheduleInstall(tx, servers, row)
		await recordChange(tx, servers, caller, 'servers.update', row, changedFields(current, row))
		await appendChange(tx, 'server', before.id, servers.clock)
		return row
	})
}

function isElsewhere(current: ServerRow, before: ServerRow): boolean {
	return current.endpoint_url !== before.endpoint_url || current.sealed_headers !== before.sealed_headers
}

/** The audit record of a change: new values, and for secrets only that they changed. */
function changedFields(before: ServerRow, after: ServerRow): Record<string, unknown> {
	const shown = [
		'name',
		'description',
		'endpoint_url',
		'status',
		'definition_policy',
		'configuration',
		'call_limits',
		'max_result_bytes',
		'tool_prefix',
		'tool_aliases',
		'command',
		'args',
	] as const
	const changed = shown.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]])
	return {
		...Object.fromEntries(changed),
		...(before.sealed_headers !== after.sealed_headers && {
			headers: after.sealed_headers === null ? 'erased' : 'changed',
		}),
		...(before.sealed_env !== after.sealed_env && {
			env: after.sealed_env === null ? 'erased' : 'changed',
		}),
	}
}
