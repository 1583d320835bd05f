import type { AgentStatus, agentOperations, BodyOf, OutputOf, ToolListing } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import type { CallLimit } from '../../platform/limits/call-limit.ts'
import type { AgentWithUse } from './agent-repository.ts'

/** An agent as the data plane knows it. */
export interface AgentEntry {
	id: string
	workspaceId: string
	name: string
	status: AgentStatus
	modelAccess: ModelAccess
	/** The limit for all its calls together; null for none. */
	callLimit: CallLimit | null
	toolListing: ToolListing
}

/** All agents, in memory. */
export interface AgentView {
	get(agentId: string): AgentEntry | undefined
}

/** Which models an agent may call: all, or per connection those that match one of its patterns. */
export type ModelAccess =
	| { mode: 'all' }
	| { mode: 'selected'; connections: ReadonlyMap<string, readonly string[]> }

type ModelAccessDocument = NonNullable<BodyOf<(typeof agentOperations)['create']>['model_access']>

export const everyModel: ModelAccess = { mode: 'all' }
export const everyModelText = JSON.stringify(everyModel)

/** The stored form. Throws 400 for connections with mode `all`, and for a connection that is named twice. */
export function modelAccessText({ mode, connections }: ModelAccessDocument): string {
	if (mode === 'all') {
		if (connections) throw wrong('must be absent with the mode all')
		return everyModelText
	}
	const names = (connections ?? []).map(({ name }) => name)
	if (new Set(names).size < names.length) throw wrong('must name each connection once')
	return JSON.stringify({ mode, connections: connections ?? [] })
}

function presentModelAccess(text: string): ModelAccessDocument {
	return JSON.parse(text) as ModelAccessDocument
}

export function toModelAccess(text: string): ModelAccess {
	if (text === everyModelText) return everyModel
	const { connections = [] } = presentModelAccess(text)
	return { mode: 'selected', connections: new Map(connections.map(({ name, models }) => [name, models])) }
}

function wrong(detail: string): Problem {
	const pointer = '/model_access/connections'
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, {
		errors: [{ pointer, code: 'conflict', detail }],
	})
}

/** Sentences about parts of an agent's model access that do not exist (yet). */
export type ModelWarnings = (workspaceId: string, access: ModelAccess) => string[]

export type AgentDocument = OutputOf<(typeof agentOperations)['get']>

/** An agent as the API shows it. */
export function presentAgent(
	{ modelWarnings }: { modelWarnings: ModelWarnings },
	row: AgentWithUse,
): AgentDocument {
	return {
		uuid: row.id,
		id: row.id,
		name: row.name,
		description: row.description,
		status: row.status as AgentDocument['status'],
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
		mcp_server_count: row.servers ?? 0,
		last_seen_at: row.last_seen_at === null ? null : toIso(row.last_seen_at),
		groups: row.groups?.split(',') ?? [],
		model_access: presentModelAccess(row.model_access),
		call_limits: row.call_limits === null ? null : JSON.parse(row.call_limits),
		tool_listing: (row.tool_face ?? 'all') as AgentDocument['tool_listing'],
		warnings: modelWarnings(row.workspace_id, toModelAccess(row.model_access)),
	}
}
