import type { IncomingMessage } from 'node:http'
import { type BodyOf, type OutputOf, serverImportOperations, serverOperations } from '@signalbox/contract'
import { requireUnchanged } from '../platform/change-scope.ts'
import { appendChange } from '../platform/changes.ts'
import { notFound, Problem } from '../platform/errors.ts'
import { type BoundOperation, bind } from '../platform/http/operations.ts'
import { readPathText } from '../platform/http/paths.ts'
import { principalIn, type RequestContext } from '../platform/http/route.ts'
import { paginate } from '../platform/paging.ts'
import { healthJob } from './check-server.ts'
import { createServer } from './create-server.ts'
import { type HealthChecks, readHistory } from './health-checks.ts'
import {
	type HealthDocument,
	presentHealth,
	presentServerFields,
	presentTools,
	type ServerDocument,
	type ToolListDocument,
} from './present-server.ts'
import {
	type Caller,
	callerOf,
	recordChange,
	type ServerContext,
	serverOrNotFound,
	type ToolCallOutcome,
} from './server-context.ts'
import {
	countGrantsOf,
	countServers,
	deleteServer,
	listGrantsOf,
	listServers,
	lockServer,
	type ServerRow,
} from './server-repository.ts'
import { listTools } from './tool-definitions/tool-definitions.ts'
import { changeServer } from './update-server.ts'

const refreshPatience = { messageMs: 8000, totalMs: 20_000 }
const checkPatience = { messageMs: 3000, totalMs: 10_000 }

async function readTools(
	{ store }: ServerContext,
	{ workspaceId }: Caller,
	id: string,
): Promise<ToolListDocument> {
	const row = await serverOrNotFound(store.db, workspaceId, id)
	return presentTools(row, await listTools(store.db, workspaceId, id))
}

/** Fetches the server's tools now; 502 if it cannot be reached or does not list them. The response says if they are incomplete. */
async function refreshTools(
	servers: ServerContext,
	checks: HealthChecks,
	caller: Caller,
	id: string,
): Promise<ToolListDocument> {
	const row = await serverOrNotFound(servers.store.db, caller.workspaceId, id)
	const outcome = await checks.check(row, refreshPatience, 'now')
	if (outcome instanceof Error)
		throw new Problem(outcome.blocked ? 'blocked_address' : 'upstream_unreachable', outcome.message, {
			cause: outcome,
		})
	if (outcome.toolsFailure !== null)
		throw new Problem('upstream_unreachable', `Its tools could not be listed. ${outcome.toolsFailure}`)
	const count = outcome.tools?.length ?? null
	await servers.mutate((tx) =>
		recordChange(tx, servers, caller, 'servers.refresh-tools', row, { tools: count }),
	)
	return readTools(servers, caller, id)
}

/** Checks the server now. Two failures make it unhealthy, so a first failure is followed by another check at once. */
async function checkHealth(
	servers: ServerContext,
	checks: HealthChecks,
	{ workspaceId }: Caller,
	id: string,
): Promise<HealthDocument> {
	const { db } = servers.store
	const row = await serverOrNotFound(db, workspaceId, id)
	const first = await checks.check(row, checkPatience, 'only first')
	if (first instanceof Error)
		await checks.check(await serverOrNotFound(db, workspaceId, id), checkPatience, 'only first')
	return presentHealth(await serverOrNotFound(db, workspaceId, id))
}

export function serverRoutes(servers: ServerContext, checks: HealthChecks): BoundOperation[] {
	const { db } = servers.store
	const present = async (row: ServerRow): Promise<ServerDocument> => ({
		...presentServerFields(row, servers.sealer),
		agent_access: await servers.accessOf(row.workspace_id, row.id),
	})
	/** Both in parallel, so that a remote store costs one round trip. */
	const read = async (workspaceId: string, id: string): Promise<ServerDocument> => {
		const found = [serverOrNotFound(db, workspaceId, id), servers.accessOf(workspaceId, id)] as const
		const [row, agent_access] = await Promise.all(found)
		return { ...presentServerFields(row, servers.sealer), agent_access }
	}
	const change = async (caller: Caller, id: string, body: Parameters<typeof changeServer>[3]) => {
		return present(await changeServer(servers, caller, id, body))
	}
	const importing = bind(serverImportOperations, {
		run: ({ body, context }) => importServers(servers, callerOf(context), body),
	})
	const managing = bind(serverOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = callerOf(context)
			const total = await countServers(db, workspaceId, query)
			const rows = await listServers(db, workspaceId, query, query, query)
			const grants = await countGrantsOf(
				db,
				workspaceId,
				rows.map(({ id }) => id),
			)
			const shown = rows.map((row) => ({
				...presentServerFields(row, servers.sealer),
				agent_access_count: grants.get(row.id) ?? 0,
			}))
			return { mcp_servers: shown, pagination: paginate(query, total) }
		},
		create: async ({ body, context }) => present(await createServer(servers, callerOf(context), body)),
		get: ({ params, context }) => read(callerOf(context).workspaceId, params.id),
		update: ({ params, body, context }) => change(callerOf(context), params.id, body),
		replace: ({ params, body, context }) => {
			if (body.url === undefined && body.endpoint_url === undefined && typeof body.command !== 'string')
				throw missingUrl()
			return change(callerOf(context), params.id, {
				description: '',
				configuration: {},
				call_limits: {},
				...{ max_result_bytes: null, tool_prefix: null, tool_aliases: {} },
				...body,
			})
		},
		delete: async ({ params, query, context }) =>
			void (await removeServer(servers, callerOf(context), params.id, query.force)),
		tools: ({ params, context }) => readTools(servers, callerOf(context), params.id),
		refreshTools: ({ params, context }) => refreshTools(servers, checks, callerOf(context), params.id),
		callTool: ({ params, body, context, request }) => callTool(servers, context, request, params, body),
		healthHistory: ({ params, query, context }) => readHistory(servers, callerOf(context), params.id, query),
		health: ({ params, context }) => checkHealth(servers, checks, callerOf(context), params.id),
	})
	return [...managing, ...importing]
}

function missingUrl(): Problem {
	const detail = 'is required'
	return new Problem('invalid_request', `body/url: ${detail}.`, {
		errors: [{ pointer: '/url', code: 'required', detail }],
	})
}

/** Deletes a server with its tools and grants; while agents have access, only with `force`. */
async function removeServer(
	servers: ServerContext,
	caller: Caller,
	id: string,
	force: boolean,
): Promise<void> {
	const hosted = await servers.mutate(async (tx) => {
		// Otherwise a grant that is committed after they were counted would be deleted without `force`.
		await lockServer(tx, caller.workspaceId, id)
		const row = await serverOrNotFound(tx, caller.workspaceId, id)
		requireUnchanged(presentServerFields(row, servers.sealer))
		const grants = await listGrantsOf(tx, caller.workspaceId, id)
		const live = new Set(grants.flatMap(({ agent_id, enabled }) => (enabled === 1 ? [agent_id] : [])))
		if (live.size > 0 && !force)
			throw new Problem('grants_exist', `Agents that still have access to ${row.name}: ${live.size}.`)
		await deleteServer(tx, caller.workspaceId, id)
		await servers.jobs.cancel(tx, healthJob, id)
		await recordChange(tx, servers, caller, 'servers.delete', row, { grants: grants.length })
		await appendChange(tx, 'server', id, servers.clock)
		for (const grant of grants) await appendChange(tx, 'grant', grant.id, servers.clock)
		return row.hosting_mode === 'hosted'
	})
	if (hosted) await servers.programs.stop(id, { erase: true })
}

const standing: Readonly<Record<string, string>> = {
	inactive: 'it is switched off',
	deploying: 'it is being installed or started',
	error: 'it failed to start',
}

/** Calls a tool of a server for a manager of the workspace; the audit log records it before it runs. */
async function callTool(
	servers: ServerContext,
	context: RequestContext,
	request: IncomingMessage,
	{ id, ...params }: { id: string; name: string },
	body: BodyOf<(typeof serverOperations)['callTool']>,
): Promise<ToolCallOutcome> {
	const name = readPathText(params.name)
	const caller = callerOf(context)
	const { db } = servers.store
	const row = await serverOrNotFound(db, caller.workspaceId, id)
	if (row.status !== 'active')
		throw new Problem('conflict', `The server cannot be used now: ${standing[row.status] ?? row.status}.`)
	const tools = await listTools(db, caller.workspaceId, id)
	if (!tools.some((tool) => tool.name === name)) {
		if (row.protocol_version !== null) throw notFound('tool')
		throw new Problem(
			'upstream_unreachable',
			['The server was never reached, so its tools are not known.', row.last_error ?? ''].join(' ').trim(),
		)
	}
	const agentId = body.agent_uuid ?? null
	if (agentId !== null && servers.agents.get(agentId)?.workspaceId !== caller.workspaceId)
		throw notFound('agent')
	await servers.mutate((tx) =>
		recordChange(tx, servers, caller, 'servers.call-tool', row, { tool: name, agent_uuid: agentId }),
	)
	return servers.callTool({
		principal: principalIn(context),
		serverId: id,
		tool: name,
		arguments: body.arguments ?? {},
		agentId,
		request,
		guard: context.guard,
	})
}

type Import = (typeof serverImportOperations)['run']
type Imported = OutputOf<Import>['mcp_servers'][number]

/**
 * Registrations run concurrently, because each checks its server for up to 3 s. This must not exceed the three attempts of a
 * registration, since entries with the same slug conflict.
 */
const atOnce = 3

/** Registers the entries of an mcp.json, each in its own transaction; one that fails does not affect the others. */
async function importServers(
	servers: ServerContext,
	caller: Caller,
	{ mcpServers, servers: ofEditor }: BodyOf<Import>,
): Promise<OutputOf<Import>> {
	if (!mcpServers === !ofEditor)
		throw new Problem('invalid_request', 'The body needs one of mcpServers and servers.')
	const entries = Object.entries(mcpServers ?? ofEditor ?? {})
	const imported: Imported[] = []
	for (let first = 0; first < entries.length; first += atOnce)
		imported.push(
			...(await Promise.all(
				entries.slice(first, first + atOnce).map(([name, entry]) => importOne(servers, caller, name, entry)),
			)),
		)
	return { mcp_servers: imported }
}

async function importOne(
	servers: ServerContext,
	caller: Caller,
	name: string,
	entry: unknown,
): Promise<Imported> {
	try {
		const { id, slug } = await createServer(servers, caller, parseEntry(name, entry))
		return { name, outcome: 'created', id, slug, code: null, detail: null }
	} catch (error) {
		if (!(error instanceof Problem) || error.status >= 500) throw error
		const outcome = error.code === 'name_taken' ? 'skipped' : 'refused'
		return { name, outcome, id: null, slug: null, code: error.code, detail: error.message }
	}
}

type NewServer = BodyOf<(typeof serverOperations)['create']>

/** Names that clients use for the transports. */
const transports: Record<string, NewServer['transport_type']> = {
	http: 'http',
	'streamable-http': 'http',
	streamableHttp: 'http',
	sse: 'sse',
	stdio: 'stdio',
	local: 'stdio',
}
/** Placeholders that only a client can fill in: `${input:key}`, `${env:KEY}`, `${KEY}`. */
const placeholder = /\$\{[^}]*\}/

/** Converts one entry of an mcp.json to a server to be registered. Throws `invalid_request` with the reason. */
function parseEntry(name: string, entry: unknown): NewServer {
	if (name === '' || name.length > 100) throw wrong('needs a name of 1 to 100 characters')
	if (!isObject(entry)) throw wrong('is not an object')
	const found = placeholder.exec(JSON.stringify(entry))
	if (found) throw wrong(`has the placeholder ${found[0]}: put its value there`)
	const type = entry.type ?? entry.transport
	if (type !== undefined && !transports[String(type)]) throw wrong(`has the unknown type ${String(type)}`)
	return entry.command === undefined ? parseRemote(name, entry, type) : parseProgram(name, entry)
}

function parseRemote(name: string, entry: Record<string, unknown>, type: unknown): NewServer {
	const url = entry.url ?? entry.serverUrl ?? entry.httpUrl
	if (typeof url !== 'string' || url === '' || url.length > 2048)
		throw wrong('has neither a url nor a command')
	// `http` may mean either transport in older files, so it is detected.
	const known = type === undefined ? undefined : transports[String(type)]
	return {
		name,
		url,
		...(known === 'sse' && { transport_type: known }),
		...(entry.headers !== undefined && { headers: parseTexts('headers', entry.headers) }),
	}
}

function parseProgram(name: string, { command, args, env }: Record<string, unknown>): NewServer {
	if (typeof command !== 'string' || command === '' || command.length > 1024)
		throw wrong('has a command that is no text')
	if (args !== undefined && !isTextList(args)) throw wrong('has args that are no list of texts')
	return {
		name,
		command,
		...(isTextList(args) && { args }),
		...(env !== undefined && { env: parseTexts('env', env) }),
	}
}

function parseTexts(field: string, value: unknown): Record<string, string> {
	const fits = (text: unknown) => typeof text === 'string' && text.length <= 8192
	if (!isObject(value) || !Object.values(value).every(fits) || Object.keys(value).length > 100)
		throw wrong(`has ${field} that are no object of texts`)
	return value as Record<string, string>
}

function isTextList(value: unknown): value is string[] {
	const fits = (text: unknown) => typeof text === 'string' && text.length <= 4096
	return Array.isArray(value) && value.length <= 100 && value.every(fits)
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wrong(detail: string): Problem {
	return new Problem('invalid_request', `The entry ${detail}.`)
}
