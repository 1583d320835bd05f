import { type Ability, abilitiesIn, type ServerEntry, type ToolDefinition } from '../../servers/index.ts'
import { isFor } from '../conditional-tools.ts'
import { searchDefinitions } from '../context-savers/search-tools.ts'
import { isSearchFace } from '../context-savers/tool-face.ts'
import type { Gateway } from '../gateway.ts'
import { isObject } from '../json-rpc/message.ts'
import { readMoreDefinition } from '../long-results/read-more.ts'
import type { Caller, Operation } from '../operation.ts'
import { supportsTasks } from '../tasks/as-task.ts'
import { choosesTasks } from '../tasks/task-capability.ts'
import { exposedTools } from '../tool-names.ts'
import { serversFor } from './parts/list-parts.ts'
import { type Entry, listResult, type WholeList } from './parts/list-result.ts'
import type { Plan } from './plan.ts'

/** `tools/list`: the granted tools out of what is known of the servers, so that none of them can delay or break it. */
export function planListTools(gateway: Gateway, operation: Operation): Plan {
	const { agentId, serverId } = operation.caller
	return {
		server: serverId === null ? null : (gateway.enforcement.server(serverId) ?? null),
		tool: '',
		refusal: () => gateway.enforcement.refusalOfAgent(agentId),
		run: () => {
			const abilities = abilitiesIn(operation.client.capabilities)
			const marksTasks = choosesTasks(operation.client)
			const face: Face = { exposed: serverId === null, marksTasks, abilities }
			const key = `${agentId} ${serverId} ${marksTasks} ${[...abilities].join()}`
			const grounds = gateway.enforcement.groundsOf(agentId, serverId)
			const list = gateway.lists.list(key, grounds, () => listTools(gateway, operation, face))
			return listResult(gateway, operation, 'tools', list)
		},
	}
}

/** How tools are written for a client. */
interface Face {
	/** With the names of the aggregate. */
	exposed: boolean
	/** Whether it is told which calls may be tasks since they wait for a person. */
	marksTasks: boolean
	/** What it can be asked for. */
	abilities: ReadonlySet<Ability>
}

function listTools(gateway: Gateway, operation: Operation, face: Face): WholeList {
	const servers = serversFor(gateway, operation)
	const readMore = readMoreEntries(gateway, operation.caller, servers)
	if (isSearchFace(gateway, operation.caller))
		return { entries: [...searchEntries, ...readMore], missing: [] }
	const { agentId } = operation.caller
	const entries = servers.flatMap((server) => grantedTools(gateway, agentId, server, face))
	return { entries: [...readMore, ...entries], missing: servers.filter(isDown) }
}

/** A slug is never empty: these come first, wherever a page began. */
const searchEntries: readonly Entry[] = searchDefinitions.map((tool, at) => ({
	slug: '',
	at,
	json: JSON.stringify(tool),
}))

function readMoreEntries(gateway: Gateway, caller: Caller, servers: readonly ServerEntry[]): Entry[] {
	const definition = readMoreDefinition(gateway, caller, servers)
	return definition ? [{ slug: '', at: searchEntries.length, json: JSON.stringify(definition) }] : []
}

/** Its tools stay in the list, since a list that changes with each failure is worse than a call that fails. */
function isDown({ healthStatus }: ServerEntry): boolean {
	return healthStatus === 'unhealthy'
}

/** The JSON of each granted tool, in the server's order. */
function grantedTools(gateway: Gateway, agentId: string, server: ServerEntry, face: Face): Entry[] {
	let at = -1
	return gateway.enforcement.toolsOf(agentId, server).flatMap(({ tool, needsApproval }) => {
		at = server.tools.indexOf(tool, at + 1)
		if (!isFor(server, tool.name, face.abilities)) return []
		const isMarked = needsApproval && face.marksTasks && !supportsTasks(tool)
		const json = isMarked ? withTask(server, tool, face) : jsonOf(server, tool.name, face.exposed)
		return [{ slug: server.slug, at, json }]
	})
}

/** A client that knows tasks then makes one of the call by itself, and holds no request open while a person decides. */
function withTask(server: ServerEntry, tool: ToolDefinition, { exposed }: Face): string {
	const own = isObject(tool.execution) ? tool.execution : {}
	return JSON.stringify({
		...shownTool(server, tool),
		...(exposed && { name: exposedTools(server).names.get(tool.name) }),
		execution: { ...own, taskSupport: 'optional' },
	})
}

interface ToolTexts {
	own: Map<string, string>
	exposed: Map<string, string>
}

const texts = new WeakMap<ServerEntry, ToolTexts>()

/** A definition is written out once for as long as its server does not change. */
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

/** Structured content may be left out of a result that has a limit, so no schema may promise it. */
function shownTool({ maxResultBytes }: ServerEntry, tool: ToolDefinition): ToolDefinition {
	if (maxResultBytes === null || tool.outputSchema === undefined) return tool
	const { outputSchema, ...shown } = tool
	return shown
}
