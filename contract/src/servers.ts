import { Type } from 'typebox'
import { byRoleOrScope } from './access.ts'
import { AgentAccess } from './access-grants.ts'
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
import { operation } from './operation.ts'

export const transportTypes = ['http', 'sse', 'stdio'] as const
export const hostingModes = ['remote', 'hosted'] as const
export const serverStatuses = ['active', 'inactive', 'deploying', 'error'] as const
export const healthStatuses = ['unknown', 'healthy', 'degraded', 'unhealthy'] as const
export type TransportType = (typeof transportTypes)[number]
export type ServerStatus = (typeof serverStatuses)[number]
export type HealthStatus = (typeof healthStatuses)[number]

const observedFields = {
	id: Id,
	slug: Type.String({ description: 'Stable short name in paths and tool names' }),
	transport_type: OneOf(transportTypes),
	hosting_mode: OneOf(hostingModes),
	health_status: OneOf(healthStatuses),
	last_health_check: Time,
	created_at: Time,
	updated_at: Time,
}
/** In the order of the specification. */
const serverFields = {
	id: observedFields.id,
	name: Type.String(),
	slug: observedFields.slug,
	description: Type.String(),
	endpoint_url: Type.String(),
	command: Nullable(Type.String({ description: 'The program of a stdio server' })),
	args: Type.Array(Type.String()),
	transport_type: observedFields.transport_type,
	hosting_mode: observedFields.hosting_mode,
	status: OneOf(serverStatuses),
	health_status: observedFields.health_status,
	last_health_check: observedFields.last_health_check,
	configuration: Type.Record(Type.String(), Type.Unknown()),
	created_at: observedFields.created_at,
	updated_at: observedFields.updated_at,
}

/** The server of the seed, with its grants. */
export const McpServer = Strict(
	{ ...serverFields, agent_access: Type.Array(AgentAccess) },
	{ title: 'McpServer' },
)
export const McpServerSummary = Strict(
	{ ...serverFields, agent_access_count: Type.Integer() },
	{ title: 'McpServerSummary' },
)

export const Tool = Strict(
	{
		name: Type.String(),
		title: Nullable(Type.String()),
		description: Type.String(),
		input_schema: Type.Unknown({ description: 'JSON Schema of the arguments, as the server gave it' }),
		output_schema: Type.Unknown(),
		annotations: Type.Unknown(),
		hash: Type.String({ description: 'SHA-256 over the canonical definition' }),
	},
	{ title: 'Tool' },
)
const ToolList = Strict({ tools: Type.Array(Tool), refreshed_at: Nullable(Time) }, { title: 'ToolList' })

export const Health = Strict(
	{
		status: OneOf(healthStatuses),
		latency_ms: Nullable(Type.Number()),
		protocol_version: Nullable(Type.String()),
		last_checked: Time,
		error: Nullable(Type.String()),
	},
	{ title: 'Health' },
)

/** One check of a server, as it ended. */
export const HealthCheck = Strict(
	{
		id: Id,
		at: Time,
		status: OneOf(healthStatuses, { description: 'The health of the server after this check' }),
		latency_ms: Nullable(Type.Number({ description: 'Of the handshake' })),
		error: Nullable(Type.String()),
		protocol_version: Nullable(Type.String()),
		tools: Nullable(Type.Integer({ description: 'How many tools it listed; null when it listed none' })),
	},
	{ title: 'HealthCheck' },
)

const Url = Type.String({
	minLength: 1,
	maxLength: 2048,
	description: 'http or https address of the MCP endpoint',
})
const Headers = Type.Record(
	Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$" }),
	Type.String({ maxLength: 8192 }),
)
const Command = Type.String({
	minLength: 1,
	maxLength: 1024,
	description: 'A program for Signalbox to run (stdio); in place of `url`, where an operator allows it',
})
const Args = Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 100 })
const Env = Type.Record(
	Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' }),
	Type.String({ maxLength: 8192 }),
	{ maxProperties: 100, description: 'Environment of the program; sealed, never returned' },
)
const Configuration = Type.Record(Type.String(), Type.Unknown())
const writable = {
	description: Type.Optional(Type.String({ maxLength: 500 })),
	headers: Type.Optional(Headers),
	configuration: Type.Optional(Configuration),
}

/** `url` and `endpoint_url` name the same thing. */
const changeable = {
	...optional({ ...observedFields, agent_access: Type.Array(AgentAccess) }),
	url: Type.Optional(Url),
	endpoint_url: Type.Optional(Url),
	command: Type.Optional(Nullable(Command)),
	args: Type.Optional(Args),
	env: Type.Optional(Env),
	status: Type.Optional(OneOf(serverStatuses)),
	...writable,
}
const description =
	'What GET returned can be sent back: read-only fields are accepted when they are unchanged. `status` moves between `active` and `inactive`.'

export const serverOperations = {
	list: operation({
		id: 'servers.list',
		method: 'GET',
		path: '/v1/mcp/servers',
		summary: 'List MCP servers',
		access: byRoleOrScope('viewer', 'servers:read'),
		query: Strict({
			...pageQuery,
			status: Type.Optional(OneOf(serverStatuses)),
			health_status: Type.Optional(OneOf(healthStatuses)),
			transport_type: Type.Optional(OneOf(transportTypes)),
			q: Type.Optional(
				Type.String({ maxLength: 100, description: 'Part of the name, the slug or the description' }),
			),
			sort: OneOf(['name', 'created_at', 'updated_at'], { default: 'created_at' }),
		}),
		status: 200,
		response: Strict(
			{ mcp_servers: Type.Array(McpServerSummary), pagination: Pagination },
			{ title: 'McpServerList' },
		),
	}),
	create: operation({
		id: 'servers.create',
		method: 'POST',
		path: '/v1/mcp/servers',
		summary: 'Register an MCP server by URL; it is checked at once, for at most 3 s',
		description:
			'With `command` in place of `url` it is a program (stdio). Programs are stored, and run by a later version: until then such a server is inactive.',
		access: byRoleOrScope('admin', 'servers:write'),
		problems: ['stdio_not_allowed', 'blocked_address'],
		body: Strict({
			name: Name,
			slug: Type.Optional(Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 24 })),
			url: Type.Optional(Url),
			command: Type.Optional(Command),
			args: Type.Optional(Args),
			env: Type.Optional(Env),
			transport_type: Type.Optional(OneOf(transportTypes)),
			...writable,
		}),
		status: 201,
		response: McpServer,
	}),
	get: operation({
		id: 'servers.get',
		method: 'GET',
		path: '/v1/mcp/servers/{id}',
		summary: 'Get an MCP server with the access that agents have to it',
		access: byRoleOrScope('viewer', 'servers:read'),
		params: IdParams,
		status: 200,
		response: McpServer,
		observed: ['health_status', 'last_health_check', 'agent_access'],
	}),
	update: operation({
		id: 'servers.update',
		method: 'PATCH',
		path: '/v1/mcp/servers/{id}',
		summary: 'Change an MCP server; a new origin erases its stored headers',
		description,
		access: byRoleOrScope('admin', 'servers:write'),
		params: IdParams,
		body: Strict({ ...changeable, name: Type.Optional(Name) }, { minProperties: 1 }),
		status: 200,
		response: McpServer,
	}),
	replace: operation({
		id: 'servers.replace',
		method: 'PUT',
		path: '/v1/mcp/servers/{id}',
		summary: 'Replace what can be set of an MCP server; stored headers stay when none are given',
		description,
		access: byRoleOrScope('admin', 'servers:write'),
		params: IdParams,
		body: Strict({ ...changeable, name: Name }),
		status: 200,
		response: McpServer,
	}),
	delete: operation({
		id: 'servers.delete',
		method: 'DELETE',
		path: '/v1/mcp/servers/{id}',
		summary: 'Delete an MCP server; with live grants only by `force=true`',
		access: byRoleOrScope('admin', 'servers:write'),
		params: IdParams,
		query: Strict({ force: Type.Boolean({ default: false }) }),
		status: 204,
		response: null,
	}),
	tools: operation({
		id: 'servers.tools',
		method: 'GET',
		path: '/v1/mcp/servers/{id}/tools',
		summary: 'The tools that the server offered when last asked',
		access: byRoleOrScope('viewer', 'servers:read'),
		params: IdParams,
		status: 200,
		response: ToolList,
	}),
	refreshTools: operation({
		id: 'servers.refresh-tools',
		method: 'POST',
		path: '/v1/mcp/servers/{id}/tools/refresh',
		summary: 'Ask the server for its tools now',
		access: byRoleOrScope('member', 'servers:write'),
		params: IdParams,
		status: 200,
		response: ToolList,
		problems: ['upstream_unreachable'],
	}),
	health: operation({
		id: 'servers.health',
		method: 'GET',
		path: '/v1/mcp/servers/{id}/health',
		summary: 'Check the server now; 200 also when it is unhealthy',
		access: byRoleOrScope('viewer', 'servers:read'),
		params: IdParams,
		status: 200,
		response: Health,
	}),
	healthHistory: operation({
		id: 'servers.health-history',
		method: 'GET',
		path: '/v1/mcp/servers/{id}/health/history',
		summary: 'The checks of the server, newest first: those of 30 days, at most 5,000',
		access: byRoleOrScope('viewer', 'servers:read'),
		params: IdParams,
		query: Strict({
			limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
			cursor: Type.Optional(Type.String({ maxLength: 100 })),
		}),
		status: 200,
		response: Strict(
			{ health_checks: Type.Array(HealthCheck), next_cursor: Nullable(Type.String()) },
			{ title: 'HealthHistory' },
		),
	}),
	callTool: operation({
		id: 'servers.call-tool',
		method: 'POST',
		path: '/v1/mcp/servers/{id}/tools/{name}/call',
		summary: 'Call a tool now: as one of the agents, or as your own call',
		description:
			'With `agent_uuid` the grants of that agent decide, as in the gateway. The call is recorded as every call is (client `playground`) and noted in the audit log.',
		access: byRoleOrScope('admin', 'servers:write'),
		problems: ['tool_not_granted', 'upstream_unreachable', 'upstream_timeout'],
		params: Strict({ id: Id, name: Type.String() }),
		body: Strict({
			arguments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
			agent_uuid: Type.Optional(Id),
		}),
		status: 200,
		response: Strict(
			{
				result: Nullable(Type.Unknown({ description: 'The result as the server gave it' })),
				error: Nullable(
					Strict(
						{ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) },
						{ title: 'ToolCallError', description: 'The JSON-RPC error that the server answered' },
					),
				),
				is_error: Type.Boolean(),
				duration_ms: Type.Number(),
				trace_id: Type.String(),
			},
			{ title: 'ToolCallResult' },
		),
	}),
}
