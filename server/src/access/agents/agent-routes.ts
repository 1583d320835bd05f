import { agentOperations, type BodyOf, type OutputOf, type QueryOf } from '@signalbox/contract'
import { notFound } from '../../platform/errors.ts'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import { paginate } from '../../platform/paging.ts'
import { presentAgent } from './agent.ts'
import { findAgent, findAgentWithUse, findSlug, listAgents } from './agent-repository.ts'
import {
	type AgentContext,
	agentOrNotFound,
	changeAgent,
	changeStatus,
	createAgent,
	removeAgent,
} from './change-agents.ts'
import { installFor } from './install.ts'

type List = (typeof agentOperations)['list']

export function agentRoutes(agents: AgentContext): BoundOperation[] {
	const { db } = agents.store
	const list = async (query: QueryOf<List>, context: RequestContext): Promise<OutputOf<List>> => {
		const { workspaceId } = principalIn(context)
		const { rows, total } = await listAgents(db, workspaceId, query, query, query, agents.clock.nowMs())
		return { agents: rows.map((row) => presentAgent(agents, row)), pagination: paginate(query, total) }
	}
	return bind(agentOperations, {
		listSeed: ({ query, context }) => list(query, context),
		list: ({ query, context }) => list(query, context),
		create: ({ body, context }) => createAgent(agents, context, body),
		get: async ({ params, context }) => {
			const { workspaceId } = principalIn(context)
			const row = await findAgentWithUse(db, workspaceId, params.id, agents.clock.nowMs())
			if (!row) throw notFound('agent')
			return presentAgent(agents, row)
		},
		update: ({ params, body, context }) => changeAgent(agents, context, params.id, body),
		delete: async ({ params, context }) => void (await removeAgent(agents, context, params.id)),
		pause: ({ params, context }) => changeStatus(agents, context, params.id, 'pause'),
		resume: ({ params, context }) => changeStatus(agents, context, params.id, 'resume'),
		stop: ({ params, context }) => changeStatus(agents, context, params.id, 'stop'),
		start: ({ params, context }) => changeStatus(agents, context, params.id, 'start'),
		install: async ({ params, query, context, request }) => {
			const { workspaceId } = principalIn(context)
			if (!(await findAgent(db, workspaceId, params.id))) throw notFound('agent')
			const slug = query.server === undefined ? null : await findSlug(db, workspaceId, query.server)
			if (slug === undefined) throw notFound('MCP server')
			return installFor(agents.publicUrl ?? `http://${request.headers.host}`, slug)
		},
		listKeys: async ({ params, query, context }) => {
			const { workspaceId } = principalIn(context)
			if (!(await findAgent(db, workspaceId, params.id))) throw notFound('agent')
			return agents.identity.listKeys(workspaceId, { ...query, agent_uuid: params.id })
		},
		createKey: ({ params, body, context }) => createAgentKey(agents, context, params.id, body),
	})
}

type CreateKey = (typeof agentOperations)['createKey']

/** Makes a key that acts as the agent; its secret is in the answer and nowhere else. */
async function createAgentKey(
	agents: AgentContext,
	request: RequestContext,
	agentId: string,
	{ name, expires_at, allowed_addresses, on_disconnect }: BodyOf<CreateKey>,
): Promise<OutputOf<CreateKey>> {
	const by = principalIn(request)
	const { workspaceId } = by
	return agents.mutate(async (tx) => {
		await agentOrNotFound(tx, agents, workspaceId, agentId)
		const expiresAtMs = typeof expires_at === 'string' ? Date.parse(expires_at) : expires_at
		const wanted = {
			workspaceId,
			kind: 'agent' as const,
			name,
			agentId,
			expiresAtMs,
			allowedAddresses: allowed_addresses,
			...(on_disconnect && { onDisconnect: on_disconnect }),
			by,
			requestId: request.requestId,
		}
		const { fields, secret } = await agents.identity.createCredential(tx, wanted)
		return { ...fields, key: secret }
	})
}
