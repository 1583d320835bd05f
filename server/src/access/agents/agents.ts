import type { ChangeFeed } from '../../platform/changes.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import type { BoundOperation } from '../../platform/http/index.ts'
import { LastUses } from '../../platform/last-uses.ts'
import type { Log } from '../../platform/log.ts'
import { type AddedAgent, addAgent } from './add-agent.ts'
import type { AgentView } from './agent-entry.ts'
import { createAgentView } from './agent-view.ts'
import type { AgentContext } from './context.ts'
import { type RegroupedAgent, regroupAgent } from './regroup-agent.ts'
import { touchAgent } from './repository.ts'
import { agentRoutes } from './routes.ts'

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
	feed: ChangeFeed
	log: Log
}

export function openAgents({ feed, log, ...agents }: AgentDependencies): Agents {
	const view = createAgentView(agents.store.db)
	feed.add(view)
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
