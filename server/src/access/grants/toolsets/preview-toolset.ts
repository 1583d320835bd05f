import { setImmediate } from 'node:timers/promises'
import type { BodyOf, OutputOf, toolsetOperations } from '@signalbox/contract'
import type { Queryable } from '../../../platform/database/database.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { decideAccess, definitionOf } from '../decide-access.ts'
import type { GrantContext } from '../grant-context.ts'
import type { GrantEntry, GrantView } from '../grant-entry.ts'
import {
	listAgentsIn,
	listCurrentTools,
	listGroupsIn,
	listToolsIn,
	type ToolsetRow,
	type ToolsOfServer,
} from './toolset-repository.ts'

type Preview = (typeof toolsetOperations)['preview']
type Difference = OutputOf<Preview>['changes'][number]
const pairsPerTurn = 200

/**
 * What each agent would gain and lose if a toolset had these tools and groups, decided by the kernel together with all other
 * grants.
 */
export async function previewToolset(
	grants: GrantContext,
	view: GrantView,
	row: ToolsetRow,
	body: BodyOf<Preview>,
): Promise<OutputOf<Preview>> {
	const proposed = await proposedGrants(grants, row, body)
	const held = new Map(view.ofToolset(row.id).map((grant) => [pairOf(grant), grant]))
	const changes: Difference[] = []
	let looked = 0
	for (const pair of new Set([...held.keys(), ...proposed.keys()])) {
		const difference = compare(grants, view, held.get(pair), proposed.get(pair))
		if (difference) changes.push(difference)
		looked += 1
		// There may be as many pairs as a large company has; this yields to running calls in between.
		if (looked % pairsPerTurn === 0) await setImmediate()
	}
	return {
		agents_changed: new Set(changes.map(({ agent }) => agent.uuid)).size,
		tools_gained: changes.reduce((sum, { gained }) => sum + gained.length, 0),
		tools_lost: changes.reduce((sum, { lost }) => sum + lost.length, 0),
		changes,
	}
}

/** The grants that would be derived from a toolset with these tools and groups, by agent and server. */
export async function proposedGrants(
	{ store: { db } }: GrantContext,
	{ id, workspace_id: workspaceId }: ToolsetRow,
	{ tools, groups }: BodyOf<Preview>,
): Promise<Map<string, GrantEntry>> {
	const now = async () => (await listToolsIn(db, workspaceId, [id])).get(id) ?? []
	const given = tools ? await resolveTools(db, workspaceId, tools) : await now()
	const names = groups ?? (await listGroupsIn(db, workspaceId, [id])).get(id) ?? []
	const agentIds = await listAgentsIn(db, workspaceId, names)
	const proposed = new Map<string, GrantEntry>()
	for (const { serverId, tools: names } of given) {
		const allowedTools = new Set(names)
		for (const agentId of agentIds) {
			const grant = derivedGrant(workspaceId, id, agentId, serverId, allowedTools)
			proposed.set(pairOf(grant), grant)
		}
	}
	return proposed
}

function derivedGrant(
	workspaceId: string,
	source: string,
	agentId: string,
	serverId: string,
	allowedTools: ReadonlySet<string>,
): GrantEntry {
	const unlimited = { enabled: true, expiresAtMs: null, constraints: null, asks: null, callLimits: null }
	const unasked = { approver: 'workspace' as const, approvalWaitMs: null, deniedHints: null }
	return {
		id: '',
		workspaceId,
		serverId,
		agentId,
		source,
		accessMode: 'selected',
		allowedTools,
		allowedPrompts: null,
		allowedResources: null,
		...unlimited,
		...unasked,
	}
}

function compare(
	{ agents, servers, clock }: GrantContext,
	view: GrantView,
	before: GrantEntry | undefined,
	after: GrantEntry | undefined,
): Difference | null {
	const any = (before ?? after) as GrantEntry
	const [agent, server] = [agents.get(any.agentId), servers.get(any.serverId)]
	if (!agent || !server) return null
	const present = view.of(agent.id, server.id)
	const others = present.filter(({ source }) => source !== any.source)
	// Both count as active: what is hidden by a pause today would take effect when it ends.
	const who = {
		agent: { ...agent, status: 'active' as const },
		server: { ...server, status: 'active' as const },
	}
	const allows = (grants: readonly GrantEntry[], tool: string) =>
		decideAccess({ ...who, grants, tool, definition: definitionOf(server, tool), nowMs: clock.nowMs() })
			.allowed
	const tools = [...new Set([...(before?.allowedTools ?? []), ...(after?.allowedTools ?? [])])]
	const then = after ? [...others, after] : others
	const gained = tools.filter((tool) => !allows(present, tool) && allows(then, tool))
	const lost = tools.filter((tool) => allows(present, tool) && !allows(then, tool))
	if (gained.length + lost.length === 0) return null
	return {
		agent: { uuid: agent.id, name: agent.name },
		server: { id: server.id, name: server.name },
		gained,
		lost,
	}
}

function pairOf({ agentId, serverId }: GrantEntry): string {
	return `${agentId} ${serverId}`
}

type Given = NonNullable<BodyOf<(typeof toolsetOperations)['create']>['tools']>

/**
 * The tools that a body names, with `*` replaced by each server's current tools. Throws 404 for an unknown server, 400 for one
 * that is named twice.
 */
export async function resolveTools(
	db: Queryable,
	workspaceId: string,
	given: Given,
): Promise<ToolsOfServer[]> {
	const ids = given.map(({ server_id }) => server_id)
	if (new Set(ids).size < ids.length) throw namedTwice()
	const current = await listCurrentTools(db, workspaceId, ids)
	const resolved = given.map(({ server_id, tools }) => {
		const now = current.get(server_id)
		if (!now) throw notFound('MCP server')
		return { serverId: server_id, tools: tools === '*' ? now : tools }
	})
	return resolved.sort((a, b) => (a.serverId < b.serverId ? -1 : 1))
}

function namedTwice(): Problem {
	const detail = 'must name each server once'
	return new Problem('invalid_request', `body/tools: ${detail}.`, {
		errors: [{ pointer: '/tools', code: 'conflict', detail }],
	})
}
