import {
	type Era,
	eraOf,
	isObject,
	type JsonObject,
	methodNotFound,
	RpcFailure,
	rpcCodes,
} from '../../mcp-client/index.ts'
import { type Ability, abilitiesIn, type ServerEntry, type ToolDefinition } from '../../servers/servers.ts'
import { listsSearchTool, searchDefinitions } from '../context-savers/search-tools.ts'
import type { Gateway } from '../gateway.ts'
import { readMoreDefinition } from '../long-results/read-more.ts'
import type { Caller, Operation, TokenOwner } from '../operation.ts'
import { fitTool, hasOtherRoot, legacyOutputSchema } from '../protocol/legacy-output.ts'
import { supportsTasks } from '../tasks/as-task.ts'
import { planTaskRequest, taskMethods } from '../tasks/plan-task-request.ts'
import { choosesTasks } from '../tasks/task.ts'
import { exposedTools, isOfferedToClient } from '../tool-names.ts'
import { planCallTool } from './call-tool.ts'
import type { Entry, KeptList } from './parts/kept-lists.ts'
import { listedKinds, listResult, planListParts, serversFor } from './parts/list-parts.ts'
import { planGetPrompt, planReadResource, planWithPrompt, planWithResource } from './parts/use-parts.ts'
import { type Plan, refuseWith } from './plan.ts'

/** `completion/complete` for an argument of a prompt or a template, for callers that may use that. */
export function planComplete(gateway: Gateway, operation: Operation): Plan {
	const { params } = operation.request
	const ref = isObject(params.ref) ? params.ref : {}
	if (ref.type === 'ref/prompt' && typeof ref.name === 'string')
		return planWithPrompt(gateway, operation, ref.name, (name) => ({ ...params, ref: { ...ref, name } }))
	if (ref.type === 'ref/resource' && typeof ref.uri === 'string')
		return planWithResource(gateway, operation, ref.uri, (uri) => ({ ...params, ref: { ...ref, uri } }))
	return refuseWith(new RpcFailure(rpcCodes.invalidParams, '`ref` must name a prompt or a resource.'))
}

type Planner = (gateway: Gateway, operation: Operation) => Plan

/** All lists but that of tools follow the same rule. */
const lists = Object.entries(listedKinds).map(
	([method, kind]) =>
		[method, (gateway, operation) => planListParts(gateway, operation, kind)] satisfies [string, Planner],
)
const planners: ReadonlyMap<string, Planner> = new Map<string, Planner>([
	['tools/call', planCallTool],
	['tools/list', planListTools],
	['prompts/get', planGetPrompt],
	['resources/read', planReadResource],
	['completion/complete', planComplete],
	...lists,
	...taskMethods.map((method) => [method, planTaskRequest] satisfies [string, Planner]),
])

/** Plans an operation that exists in both eras. */
export function planOperation(gateway: Gateway, operation: Operation): Plan {
	const plan = planners.get(operation.request.method)
	return plan ? plan(gateway, operation) : refuseWith(methodNotFound(operation.request.method))
}

/** `tools/list`: the granted tools, from what is known of the servers, so that no server can delay or break the list. */
function planListTools(gateway: Gateway, operation: Operation): Plan {
	const { agentId, serverId } = operation.caller
	return {
		server: null,
		tool: '',
		refusal: () => gateway.enforcement.refusalOfAgent(agentId),
		run: () => {
			const abilities = abilitiesIn(operation.client.capabilities)
			const marksTasks = choosesTasks(operation.client)
			const { era } = operation.client
			const face: Face = { exposed: serverId === null, era, marksTasks, abilities }
			const key = `${agentId} ${serverId} ${era} ${marksTasks} ${[...abilities].join()}`
			const inputs = gateway.enforcement.listInputsOf(agentId, serverId)
			const list = gateway.lists.list(key, inputs, () => listTools(gateway, operation, face))
			const missing = list.servers.filter((server) => isMissing(gateway, server, operation.caller))
			requireConsent(gateway, operation, missing, list)
			return listResult(gateway, operation, 'tools', { ...list, missing })
		},
	}
}

/** How tools are presented to a client. */
interface Face {
	/** Whether tools have their names on the aggregate. */
	exposed: boolean
	era: Era
	/** Whether calls that need approval are marked as possible tasks. */
	marksTasks: boolean
	/** What the client can be asked for. */
	abilities: ReadonlySet<Ability>
}

/** If a list is empty only because consent is missing, throws that failure: an empty list would tell the user nothing. */
function requireConsent(
	gateway: Gateway,
	{ caller }: Operation,
	missing: readonly ServerEntry[],
	{ entries }: KeptList,
): void {
	if (entries.length > 0) return
	for (const server of missing) {
		const consent = gateway.upstreams.missingConsent(server, caller)
		if (consent) throw consent
	}
}

function listTools(gateway: Gateway, operation: Operation, face: Face): KeptList {
	const servers = serversFor(gateway, operation)
	const readMore = readMoreEntries(gateway, operation.caller, servers)
	if (listsSearchTool(gateway, operation.caller))
		return { entries: [...searchEntries, ...readMore], servers: [] }
	const { agentId } = operation.caller
	const entries = servers.flatMap((server) => grantedTools(gateway, agentId, server, face))
	return { entries: [...readMore, ...entries], servers }
}

/** Slugs are never empty, so these are always first. */
const searchEntries: readonly Entry[] = searchDefinitions.map((tool, at) => ({
	slug: '',
	at,
	json: JSON.stringify(tool),
}))

function readMoreEntries(gateway: Gateway, caller: Caller, servers: readonly ServerEntry[]): Entry[] {
	const definition = readMoreDefinition(gateway, caller, servers)
	return definition ? [{ slug: '', at: searchEntries.length, json: JSON.stringify(definition) }] : []
}

/** The tools stay in the list all the same: a list that changes with every failure is worse than a call that fails. */
function isMissing(gateway: Gateway, server: ServerEntry, owner: TokenOwner): boolean {
	if (server.healthStatus === 'unhealthy' || (!server.areToolsKnown && server.tools.length === 0)) return true
	return gateway.upstreams.missingConsent(server, owner) !== null
}

/** The JSON of each granted tool, in the server's order. */
function grantedTools(gateway: Gateway, agentId: string, server: ServerEntry, face: Face): Entry[] {
	let at = -1
	return gateway.enforcement.toolsOf(agentId, server).flatMap(({ tool, needsApproval }) => {
		at = server.tools.indexOf(tool, at + 1)
		if (!isOfferedToClient(server, tool.name, face.abilities)) return []
		const isMarked = needsApproval && face.marksTasks && !supportsTasks(tool)
		const isOwn = isMarked || (face.era === 'legacy' && hasOtherRoot(tool.outputSchema))
		const json = isOwn ? writeFor(server, tool, face, isMarked) : jsonOf(server, tool.name, face.exposed)
		return [{ slug: server.slug, at, json }]
	})
}

/**
 * The JSON of a tool as only some clients see it. One that supports tasks learns that a call that needs approval can be a task,
 * so that no request stays open meanwhile. One of the legacy era expects output to be an object.
 */
function writeFor(
	server: ServerEntry,
	tool: ToolDefinition,
	{ exposed, era }: Face,
	isMarked: boolean,
): string {
	const { outputSchema, ...shown } = shownTool(server, tool)
	const output =
		era === 'legacy' && hasOtherRoot(outputSchema) ? legacyOutputOf(server, outputSchema) : outputSchema
	const own = isObject(shown.execution) ? shown.execution : {}
	return JSON.stringify({
		...shown,
		...(isObject(output) && { outputSchema: output }),
		...(exposed && { name: exposedTools(server).names.get(tool.name) }),
		...(isMarked && { execution: { ...own, taskSupport: 'optional' } }),
	})
}

/** Null for a legacy server that declares other output than an object, since its era does not support that. */
function legacyOutputOf({ protocolVersion }: ServerEntry, schema: JsonObject): JsonObject | null {
	return eraOf(protocolVersion ?? '') === 'modern' ? legacyOutputSchema(schema) : null
}

interface ToolTexts {
	own: Map<string, string>
	exposed: Map<string, string>
}

const texts = new WeakMap<ServerEntry, ToolTexts>()

/** The JSON of a definition, cached until its server changes. */
function jsonOf(server: ServerEntry, name: string, aggregate: boolean): string {
	const known = texts.get(server) ?? writeTools(server)
	return (aggregate ? known.exposed : known.own).get(name) ?? ''
}

function writeTools(server: ServerEntry): ToolTexts {
	const { own, names } = exposedTools(server)
	const shown = [...own].map(([name, tool]) => [name, shownTool(server, tool)] as const)
	const written = {
		own: new Map(shown.map(([name, tool]) => [name, JSON.stringify(tool)])),
		exposed: new Map(shown.map(([name, tool]) => [name, JSON.stringify({ ...tool, name: names.get(name) })])),
	}
	texts.set(server, written)
	return written
}

/** A limited result may lack its structured content, so no schema may promise it. */
function shownTool({ maxResultBytes }: ServerEntry, tool: ToolDefinition): ToolDefinition {
	const fit = fitTool(tool)
	if (maxResultBytes === null || fit.outputSchema === undefined) return fit
	const { outputSchema, ...shown } = fit
	return shown
}
