import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Groups } from './agents.ts'
import {
	Id,
	IdParams,
	Name,
	OneOf,
	optional,
	Pagination,
	pageQuery,
	Strict,
	Time,
	Warnings,
} from './common.ts'
import { operation } from './operation.ts'

const ToolNames = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
	maxItems: 2000,
	uniqueItems: true,
})

const derived = {
	agent_count: Type.Integer({ description: 'Number of agents that have grants from this toolset' }),
	created_at: Time,
	updated_at: Time,
	warnings: Warnings,
}

export const Toolset = Strict(
	{
		id: Id,
		name: Type.String(),
		description: Type.String(),
		tools: Type.Array(Strict({ server_id: Id, tools: ToolNames }, { title: 'ToolsOfServer' })),
		groups: Type.Array(Type.String()),
		...derived,
	},
	{ title: 'Toolset' },
)

/** Tools by server, in a request body. */
export const ToolsetTools = Type.Array(
	Strict({
		server_id: Id,
		tools: Type.Union([ToolNames, Type.Literal('*')], {
			description: 'Tool names; `*` is replaced at once by the current tools of the server',
		}),
	}),
	{ maxItems: 500 },
)
const changeable = {
	description: Type.Optional(Type.String({ maxLength: 500 })),
	tools: Type.Optional(ToolsetTools),
	groups: Type.Optional(Groups),
}

/** The tools that one agent gains and loses on one server. */
const AccessDifference = Strict(
	{
		agent: Strict({ uuid: Id, name: Type.String() }),
		server: Strict({ id: Id, name: Type.String() }),
		gained: Type.Array(Type.String()),
		lost: Type.Array(Type.String()),
	},
	{ title: 'AccessDifference' },
)

export const toolsetOperations = {
	list: operation({
		id: 'toolsets.list',
		method: 'GET',
		path: '/v1/toolsets',
		summary: 'List toolsets',
		access: byScope('access:read'),
		query: Strict({
			...pageQuery,
			q: Type.Optional(Type.String({ maxLength: 100, description: 'Toolsets whose name contains this' })),
			group: Type.Optional(Type.String({ maxLength: 64, description: 'Toolsets assigned to this group' })),
			sort: OneOf(['name', 'created_at', 'updated_at'], { default: 'created_at' }),
		}),
		status: 200,
		response: Strict({ toolsets: Type.Array(Toolset), pagination: Pagination }, { title: 'ToolsetList' }),
	}),
	create: operation({
		id: 'toolsets.create',
		method: 'POST',
		path: '/v1/toolsets',
		summary: 'Create a toolset; every agent in its groups gets a grant on each of its servers',
		description: 'Tools that appear on a server later are not included.',
		access: byScope('access:write'),
		body: Strict({ name: Name, ...changeable }),
		status: 201,
		response: Toolset,
	}),
	get: operation({
		id: 'toolsets.get',
		method: 'GET',
		path: '/v1/toolsets/{id}',
		summary: 'Get a toolset',
		access: byScope('access:read'),
		params: IdParams,
		status: 200,
		response: Toolset,
		observed: ['warnings'],
	}),
	update: operation({
		id: 'toolsets.update',
		method: 'PATCH',
		path: '/v1/toolsets/{id}',
		summary: 'Change a toolset, and with it the grants of every agent in its groups',
		description: 'Unchanged read-only fields are accepted.',
		access: byScope('access:write'),
		params: IdParams,
		body: Strict(
			{ ...optional({ id: Id, ...derived }), name: Type.Optional(Name), ...changeable },
			{ minProperties: 1 },
		),
		status: 200,
		response: Toolset,
	}),
	delete: operation({
		id: 'toolsets.delete',
		method: 'DELETE',
		path: '/v1/toolsets/{id}',
		summary: 'Delete a toolset with the grants derived from it',
		access: byScope('access:write'),
		params: IdParams,
		status: 204,
		response: null,
	}),
	preview: operation({
		id: 'toolsets.preview',
		method: 'POST',
		path: '/v1/toolsets/{id}/preview',
		summary: 'Preview a change of a toolset: what agents would gain and lose',
		description:
			'Nothing is changed. Compares effective access: a tool that another grant also allows is neither gained nor lost. Agents and servers count as active.',
		access: byScope('access:read'),
		params: IdParams,
		body: Strict({ tools: Type.Optional(ToolsetTools), groups: Type.Optional(Groups) }, { minProperties: 1 }),
		status: 200,
		response: Strict(
			{
				agents_changed: Type.Integer(),
				tools_gained: Type.Integer(),
				tools_lost: Type.Integer(),
				changes: Type.Array(AccessDifference),
			},
			{ title: 'ToolsetPreview' },
		),
	}),
}
