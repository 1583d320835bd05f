import { setImmediate } from 'node:timers/promises'
import type { accessGrantOperations, OutputOf, QueryOf } from '@signalbox/contract'
import { type AuditRow, listNewestOf } from '../../accounts/audit/audit.ts'
import { toIso } from '../../platform/clock.ts'
import { paginate } from '../../platform/paging.ts'
import type { ServerEntry } from '../../servers/servers.ts'
import { readTokens, type TokenCounts } from '../../servers/tool-definitions/tool-definitions.ts'
import { type AccessDecision, type AccessQuery, decideAccess, definitionOf } from './decide-access.ts'
import type { GrantContext } from './grant-context.ts'
import { manualSource } from './grant-entry.ts'
import { type GrantWithSource, listAgentsOnPage, listGrantsOfAgents } from './grant-repository.ts'
import { toGrantEntry } from './grant-view.ts'
import { presentGrant, presentSource } from './present-grant.ts'

type Explained = OutputOf<(typeof accessGrantOperations)['ofAgent']>
type Tool = Explained['effective'][number]['tools'][number]

/** Every grant of an agent with what it allows by itself, and for each server what they allow together. */
export async function explainAccess(
	{ store, servers, agents, clock }: GrantContext,
	workspaceId: string,
	agentId: string,
): Promise<Explained> {
	const rows = await listGrantsOfAgents(store.db, workspaceId, [agentId])
	const about = { agent: agents.get(agentId), nowMs: clock.nowMs() }
	const explained = new Map<string, Explanation>()
	const access = rows.flatMap((row) => {
		const server = servers.get(row.server_id)
		if (!server) return []
		const explanation = explained.get(server.id) ?? { server, rows: [] }
		explanation.rows.push(row)
		explained.set(server.id, explanation)
		return [explainGrant(about, server, row)]
	})
	const tokens = await readTokens(store.db, workspaceId, [...explained.keys()])
	const effective = [...explained.values()].map((each) => explainServer(about, each, tokens))
	return { access, effective, definition_tokens: sum(effective.map((each) => each.definition_tokens)) }
}

type About = Pick<AccessQuery, 'agent' | 'nowMs'>

interface Explanation {
	server: ServerEntry
	rows: GrantWithSource[]
}

function explainGrant(about: About, server: ServerEntry, row: GrantWithSource): Explained['access'][number] {
	const grants = [toGrantEntry(row)]
	const tools = namesIn(server, [row]).map((tool) => ({
		name: tool,
		...shown(decideAccess({ ...about, server, grants, tool, definition: definitionOf(server, tool) })),
	}))
	return { grant: presentGrant(row, server), server: summary(server), tools }
}

/** What all grants together allow, in the current state of each tool's definition. */
function explainServer(
	about: About,
	{ server, rows }: Explanation,
	tokens: TokenCounts,
): Explained['effective'][number] {
	const grants = rows.map((row) => toGrantEntry(row))
	const tools = namesIn(server, rows).map((tool): Tool => {
		const query: AccessQuery = {
			...about,
			server,
			grants,
			tool,
			definition: definitionOf(server, tool),
			suspended: server.suspended.get(tool),
		}
		const decision = decideAccess(query)
		const opens = (index: number) =>
			decideAccess({ ...query, grants: grants.slice(index, index + 1) }).allowed
		const via = rows
			.filter((_row, index) => decision.allowed && opens(index))
			.map((row) => ({ grant_id: row.id, source: presentSource(row.source, row.source_name) }))
		const count = decision.allowed ? tokens(server.id, tool) : 0
		return { name: tool, ...shown(decision), definition_tokens: count, via }
	})
	return {
		server: summary(server),
		definition_tokens: sum(tools.map((each) => each.definition_tokens)),
		tools,
	}
}

/** Null if any part is null (unknown). */
function sum(counts: readonly (number | null)[]): number | null {
	return counts.reduce((total, count) => (total === null || count === null ? null : total + count), 0)
}

/** The tools of the server, and those that only grants name. */
function namesIn(server: ServerEntry, rows: readonly GrantWithSource[]): string[] {
	const granted = rows.flatMap((row) => JSON.parse(row.allowed_tools ?? '[]') as string[])
	return [...new Set([...server.tools.map(({ name }) => name), ...granted])]
}

function shown({ allowed, reason, text }: AccessDecision): Pick<Tool, 'allowed' | 'reason' | 'text'> {
	return { allowed, reason, text }
}

function summary({ id, name, slug }: Pick<ServerEntry, 'id' | 'name' | 'slug'>) {
	return { id, name, slug }
}

type Matrix = OutputOf<(typeof accessGrantOperations)['matrix']>
type MatrixAgent = Matrix['agents'][number]
type Cell = MatrixAgent['access'][number]

/** A page of a matrix of agents and all tools of the workspace: each access decision, its grants, and who changed them last. */
export async function readMatrix(
	context: GrantContext,
	workspaceId: string,
	query: QueryOf<(typeof accessGrantOperations)['matrix']>,
): Promise<Matrix> {
	const { store, servers } = context
	const listed = servers.list(workspaceId).toSorted((a, b) => a.name.localeCompare(b.name))
	const { rows, total } = await listAgentsOnPage(store.db, workspaceId, query)
	const ids = rows.map(({ id }) => id)
	const grants = ids.length > 0 ? await listGrantsOfAgents(store.db, workspaceId, ids) : []
	const changes = await newestChanges(context, workspaceId, grants)
	const byAgent = Map.groupBy(grants, ({ agent_id }) => agent_id)
	const agents: MatrixAgent[] = []
	for (const { id, name, status } of rows) {
		const access = [...Map.groupBy(byAgent.get(id) ?? [], ({ server_id }) => server_id)]
		agents.push({
			uuid: id,
			name,
			status: status as MatrixAgent['status'],
			access: access.flatMap(([serverId, held]) => cellOf(context, id, serverId, held, changes)),
		})
		// A hundred agents with every tool make some 100,000 decisions; this yields to running calls in between.
		await setImmediate()
	}
	const columns = listed.map(({ tools, ...server }) => ({
		...summary(server),
		status: server.status,
		tools: tools.map((tool) => tool.name),
	}))
	return { servers: columns, agents, pagination: paginate(query, total) }
}

const idsPerStatement = 500

/** By the id of the grant, or of the toolset from which it is derived. */
async function newestChanges(
	{ store }: GrantContext,
	workspaceId: string,
	grants: readonly GrantWithSource[],
): Promise<Map<string, AuditRow>> {
	const ids = [...new Set(grants.map(changedWith))]
	const found = new Map<string, AuditRow>()
	for (let at = 0; at < ids.length; at += idsPerStatement)
		for (const row of await listNewestOf(store.db, workspaceId, ids.slice(at, at + idsPerStatement)))
			found.set(row.target_id ?? '', row)
	return found
}

function changedWith({ id, source }: GrantWithSource): string {
	return source === manualSource ? id : source
}

function cellOf(
	{ servers, agents, clock }: GrantContext,
	agentId: string,
	serverId: string,
	rows: readonly GrantWithSource[],
	changes: ReadonlyMap<string, AuditRow>,
): Cell[] {
	const server = servers.get(serverId)
	if (!server) return []
	const about = { agent: agents.get(agentId), nowMs: clock.nowMs() }
	const grants = rows.map((row) => toGrantEntry(row))
	const decisions = namesIn(server, rows).map((tool) => {
		const suspended = server.suspended.get(tool)
		const definition = definitionOf(server, tool)
		const { allowed, reason } = decideAccess({ ...about, server, grants, tool, definition, suspended })
		return { name: tool, allowed, reason }
	})
	return [
		{
			server_id: serverId,
			grants: rows.map((row) => {
				const change = changes.get(changedWith(row))
				return {
					id: row.id,
					source: presentSource(row.source, row.source_name),
					enabled: row.enabled === 1,
					expires_at: row.expires_at === null ? null : toIso(row.expires_at),
					created_at: toIso(row.created_at),
					changed_by: change?.actor_name ?? null,
					changed_at: toIso(change?.at ?? row.updated_at),
				}
			}),
			tools: decisions.filter(({ reason }) => reason !== 'tool_not_selected'),
			unknown_tools: server.areToolsKnown
				? decisions.map(({ name }) => name).filter((name) => !definitionOf(server, name))
				: [],
		},
	]
}
