import { Type } from 'typebox'
import { byRoleOrScope } from './access.ts'
import {
	Id,
	IdParams,
	Name,
	Nullable,
	OneOf,
	optional,
	Pagination,
	pageQuery,
	Strict,
	Time,
} from './common.ts'
import { NewKey } from './keys.ts'
import { operation } from './operation.ts'

export const agentStatuses = ['active', 'paused', 'stopped', 'error'] as const
export type AgentStatus = (typeof agentStatuses)[number]

const ids = { uuid: Id, id: Id }
const observed = {
	status: OneOf(agentStatuses),
	created_at: Time,
	updated_at: Time,
	mcp_server_count: Type.Integer({ description: 'Servers that the agent has an enabled grant on' }),
	last_seen_at: Nullable(Time),
}

export const Agent = Strict(
	{ ...ids, name: Type.String(), description: Type.String(), ...observed },
	{ title: 'Agent' },
)

const listQuery = Strict({
	...pageQuery,
	status: Type.Optional(OneOf(agentStatuses)),
	q: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name' })),
	sort: OneOf(['name', 'created_at', 'updated_at'], { default: 'created_at' }),
})
const AgentList = Strict({ agents: Type.Array(Agent), pagination: Pagination }, { title: 'AgentList' })
const description = Type.String({ maxLength: 500 })

function transition(verb: 'pause' | 'resume' | 'stop' | 'start', summary: string) {
	return operation({
		id: `agents.${verb}`,
		method: 'POST',
		path: `/v1/agents/{id}/${verb}`,
		summary,
		access: byRoleOrScope('member', 'agents:write'),
		params: IdParams,
		status: 200,
		response: Agent,
	})
}

export const agentOperations = {
	/** The path of the seed. */
	listSeed: operation({
		id: 'agents.list-seed',
		method: 'GET',
		path: '/agent/list',
		summary: 'List agents',
		access: byRoleOrScope('viewer', 'agents:read'),
		query: listQuery,
		status: 200,
		response: AgentList,
	}),
	list: operation({
		id: 'agents.list',
		method: 'GET',
		path: '/v1/agents',
		summary: 'List agents',
		access: byRoleOrScope('viewer', 'agents:read'),
		query: listQuery,
		status: 200,
		response: AgentList,
	}),
	create: operation({
		id: 'agents.create',
		method: 'POST',
		path: '/v1/agents',
		summary: 'Create an agent; it is active at once',
		access: byRoleOrScope('member', 'agents:write'),
		body: Strict({ name: Name, description: Type.Optional(description) }),
		status: 201,
		response: Agent,
	}),
	get: operation({
		id: 'agents.get',
		method: 'GET',
		path: '/v1/agents/{id}',
		summary: 'Get an agent',
		access: byRoleOrScope('viewer', 'agents:read'),
		params: IdParams,
		status: 200,
		response: Agent,
	}),
	update: operation({
		id: 'agents.update',
		method: 'PATCH',
		path: '/v1/agents/{id}',
		summary: 'Change the name or description of an agent',
		access: byRoleOrScope('member', 'agents:write'),
		params: IdParams,
		description: 'Read-only fields are accepted when they are unchanged.',
		body: Strict(
			{
				...optional({ ...ids, ...observed }),
				name: Type.Optional(Name),
				description: Type.Optional(description),
			},
			{ minProperties: 1 },
		),
		status: 200,
		response: Agent,
	}),
	delete: operation({
		id: 'agents.delete',
		method: 'DELETE',
		path: '/v1/agents/{id}',
		summary: 'Delete an agent with its keys and grants',
		access: byRoleOrScope('admin', 'agents:write'),
		params: IdParams,
		status: 204,
		response: null,
	}),
	pause: transition('pause', 'Pause an agent: its calls answer 403 at once, running streams included'),
	resume: transition('resume', 'Resume a paused agent'),
	stop: transition('stop', 'Stop an agent'),
	start: transition('start', 'Start a stopped agent'),
	createKey: operation({
		id: 'agents.create-key',
		method: 'POST',
		path: '/v1/agents/{id}/keys',
		summary: 'Create a key that acts as this agent; the secret is shown once',
		access: byRoleOrScope('admin', 'keys:write'),
		params: IdParams,
		body: Strict({ name: Name, expires_at: Type.Optional(Nullable(Time)) }),
		status: 201,
		response: NewKey,
	}),
}
