import type { AgentStatus, ToolListing } from '@signalbox/contract'
import type { Actor } from '../../accounts/audit/index.ts'
import { appendChange, type ChangeFeed, type View } from '../../platform/changes.ts'
import type { ControlStore, Database, DatabaseTransaction } from '../../platform/database/index.ts'
import type { BoundOperation } from '../../platform/http/index.ts'
import { LastUses } from '../../platform/last-uses.ts'
import { readCallLimit } from '../../platform/limits/call-limit.ts'
import type { Log } from '../../platform/log.ts'
import { type AgentEntry, type AgentView, presentAgent, toModelAccess } from './agent.ts'
import {
	type AgentRow,
	findAgentForView,
	findAgentWithUse,
	listAgentsForView,
	replaceGroups,
	touchAgent,
} from './agent-repository.ts'
import { agentRoutes } from './agent-routes.ts'
import { type AddedAgent, type AgentContext, addAgent } from './change-agents.ts'

export interface Agents {
	operations: BoundOperation[]
	view: AgentView
	/** Makes an agent in the caller's transaction; its id. */
	add(tx: DatabaseTransaction, agent: AddedAgent): Promise<string>
	/** Changes an agent's groups in the caller's transaction, which began with `lockGroups`. */
	regroup(tx: DatabaseTransaction, agent: RegroupedAgent): Promise<void>
	/** Notes that an agent called; written in batches. */
	noteSeen(agentId: string): void
	close(): Promise<void>
}

export interface AgentDependencies extends AgentContext {
	view: AgentView
	log: Log
}

export function openAgents({ view, log, ...agents }: AgentDependencies): Agents {
	const seen = new LastUses<{ id: string }>({
		...{ db: agents.store.db, clock: agents.clock, log, of: 'agents' },
		touch: (tx, { id }, atMs) => touchAgent(tx, id, atMs),
	})
	return {
		operations: agentRoutes(agents),
		view,
		add: (tx, agent) => addAgent(agents, tx, agent),
		regroup: (tx, agent) => regroupAgent(agents, tx, agent),
		noteSeen: (id) => seen.note({ id }),
		close: () => seen.close(),
	}
}

/** Opens the view of all agents: other areas need it, and agents need some of them. */
export function openAgentView({ store, feed }: { store: ControlStore; feed: ChangeFeed }): AgentView {
	const view = createAgentView(store.db)
	feed.add(view)
	return view
}

/** All agents in memory, kept equal to the store by the change feed. */
export function createAgentView(db: Database): AgentView & View {
	let agents = new Map<string, AgentEntry>()
	return {
		kinds: ['agent'],
		get: (agentId) => agents.get(agentId),
		load: async () => {
			agents = new Map((await listAgentsForView(db)).map((row) => [row.id, toEntry(row)]))
		},
		apply: async (_kind, id) => {
			const row = await findAgentForView(db, id)
			if (row) agents.set(id, toEntry(row))
			else agents.delete(id)
		},
	}
}

function toEntry(row: AgentRow): AgentEntry {
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		name: row.name,
		status: row.status as AgentStatus,
		modelAccess: toModelAccess(row.model_access),
		callLimit: row.call_limits === null ? null : readCallLimit(row.call_limits),
		toolListing: (row.tool_face ?? 'all') as ToolListing,
	}
}

/** Groups that come to an agent of a person, and groups that go. */
interface RegroupedAgent {
	workspaceId: string
	agentId: string
	add: readonly string[]
	remove: readonly string[]
	by: Actor
	requestId: string
}

/** Changes an agent's groups, and with them its grants, in the caller's transaction, which began with `lockGroups`. */
async function regroupAgent(
	agents: AgentContext,
	tx: DatabaseTransaction,
	{ workspaceId, agentId, add, remove, by, requestId }: RegroupedAgent,
): Promise<void> {
	const row = await findAgentWithUse(tx, workspaceId, agentId, agents.clock.nowMs())
	if (!row) return
	const { name, status, groups: before } = presentAgent(agents, row)
	const kept = before.filter((group) => !remove.includes(group))
	const groups = [...new Set([...kept, ...add])].sort()
	if (groups.join() === before.join()) return
	await replaceGroups(tx, workspaceId, agentId, groups)
	await agents.deriveGrants(tx, workspaceId, [agentId])
	await agents.audit.record(tx, {
		workspaceId,
		actor: by,
		action: 'agents.update',
		target: { kind: 'agent', id: agentId, name },
		detail: { name, status, groups },
		requestId,
	})
	await appendChange(tx, 'agent', agentId, agents.clock)
}
