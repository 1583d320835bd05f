import { Type } from 'typebox'
import { AgentAccess } from './access-grants.ts'
import { CallLimits } from './call-limits.ts'
import { Id, MapOf, Nullable, OneOf, optional, Strict, Time } from './common.ts'

export const transportTypes = ['http', 'sse', 'stdio'] as const
export const hostingModes = ['remote', 'hosted'] as const
export const serverStatuses = ['active', 'inactive', 'deploying', 'error'] as const
export const healthStatuses = ['unknown', 'healthy', 'degraded', 'unhealthy'] as const
export type TransportType = (typeof transportTypes)[number]
export type ServerStatus = (typeof serverStatuses)[number]
/** What happens when the definition of a tool changes that agents already use. */
export const definitionPolicies = ['allow', 'keep-approved', 'suspend'] as const
export type DefinitionPolicy = (typeof definitionPolicies)[number]
export type HealthStatus = (typeof healthStatuses)[number]

const observedFields = {
	id: Id,
	slug: Type.String({ description: 'Stable short name, used in paths and tool names' }),
	transport_type: OneOf(transportTypes),
	hosting_mode: OneOf(hostingModes),
	health_status: OneOf(healthStatuses),
	health_error: Nullable(Type.String({ description: 'What is wrong; null when healthy' })),
	tools_pending: Nullable(
		Type.String({
			description: 'Why the list of tools may be incomplete; null when the last check saw everything',
		}),
	),
	last_health_check: Time,
	header_names: Type.Array(Type.String(), {
		description: 'Names of the stored headers; their values are never returned',
	}),
	env_names: Type.Array(Type.String(), {
		description: 'Names of the stored variables of a program; their values are never returned',
	}),
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
	health_error: observedFields.health_error,
	tools_pending: observedFields.tools_pending,
	last_health_check: observedFields.last_health_check,
	definition_policy: OneOf(definitionPolicies),
	configuration: MapOf(Type.Unknown()),
	call_limits: MapOf(CallLimits),
	max_result_bytes: Nullable(Type.Integer()),
	tool_prefix: Nullable(Type.String()),
	tool_aliases: MapOf(Type.String()),
	header_names: observedFields.header_names,
	env_names: observedFields.env_names,
	created_at: observedFields.created_at,
	updated_at: observedFields.updated_at,
}

/** A server with its grants. */
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
		input_schema: Type.Unknown({ description: 'JSON Schema of the arguments, as sent by the server' }),
		output_schema: Type.Unknown(),
		annotations: Type.Unknown(),
		hash: Type.String({ description: 'SHA-256 over the canonical definition' }),
		pin: OneOf(['open', 'kept', 'suspended'], {
			description:
				'What agents see: `open` this definition, `kept` the one approved before, `suspended` nothing; see docs/tool-definitions.md',
		}),
		definition_tokens: Nullable(
			Type.Integer({
				description: 'Tokens (o200k_base) of what agents see; null until counted',
			}),
		),
	},
	{ title: 'Tool' },
)
export const ToolList = Strict(
	{
		tools: Type.Array(Tool),
		definition_tokens: Nullable(Type.Integer({ description: 'Tokens of all tools that are not suspended' })),
		refreshed_at: Nullable({ ...Time, description: 'When all of them were last seen; null: never' }),
		pending: observedFields.tools_pending,
	},
	{ title: 'ToolList' },
)

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

/** The result of one health check of a server. */
export const HealthCheck = Strict(
	{
		id: Id,
		at: Time,
		status: OneOf(healthStatuses, { description: 'The health of the server after this check' }),
		latency_ms: Nullable(Type.Number({ description: 'Duration of the handshake' })),
		error: Nullable(Type.String()),
		protocol_version: Nullable(Type.String()),
		tools: Nullable(Type.Integer({ description: 'Number of tools listed; null when none were listed' })),
	},
	{ title: 'HealthCheck' },
)

export const Url = Type.String({
	minLength: 1,
	maxLength: 2048,
	description: 'http or https address of the MCP endpoint',
})
const Headers = Type.Record(
	Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$" }),
	Type.String({ maxLength: 8192 }),
)
export const Command = Type.String({
	minLength: 1,
	maxLength: 1024,
	description: 'A program for Signalbox to run (stdio), instead of `url`; an operator must allow it',
})
export const Args = Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 100 })
export const Env = Type.Record(
	Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' }),
	Type.String({ maxLength: 8192 }),
	{ maxProperties: 100, description: 'Environment of the program; sealed, never returned' },
)
const Configuration = MapOf(Type.Unknown(), {
	description:
		'Free-form. `capture_arguments`, `capture_results`: record arguments and results of tool calls (redacted, at most 16 KiB each); default: as the workspace says. `protocol_era: "legacy"`: at most 2025-11-25 for all clients; default: the era of each client',
})
export const writable = {
	description: Type.Optional(Type.String({ maxLength: 500 })),
	headers: Type.Optional(Headers),
	configuration: Type.Optional(Configuration),
	call_limits: Type.Optional(
		MapOf(CallLimits, {
			maxProperties: 200,
			description: 'Tool (`*`: all of the server together) → limits for the calls of all agents together',
		}),
	),
	max_result_bytes: Type.Optional(
		Nullable(
			Type.Integer({
				minimum: 4096,
				maximum: 4_194_304,
				description:
					'The largest tool result that an agent gets in one piece; the rest is kept for an hour for the tool `read_more`. null (default): no limit',
			}),
		),
	),
	tool_prefix: Type.Optional(
		Nullable(
			Type.String({
				pattern: '^[A-Za-z0-9]+([_-][A-Za-z0-9]+)*$',
				maxLength: 24,
				description:
					'Prefix of its tools and prompts on `/mcp`, before `__`; null (default): the slug, which always works. It must differ from the prefixes and slugs of other servers (409)',
			}),
		),
	),
	tool_aliases: Type.Optional(
		MapOf(Type.String({ pattern: '^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$', maxLength: 64 }), {
			maxProperties: 200,
			description:
				'Tool → its full name on `/mcp`, without `__`; the usual name still works. An alias must be unique in the workspace (409)',
		}),
	),
	definition_policy: Type.Optional(
		OneOf(definitionPolicies, {
			description:
				'`keep-approved` (default): agents keep the approved definition while their calls stay valid, otherwise the tool waits for approval, as new tools do. `suspend`: every change waits. `allow`: changes are accepted',
		}),
	),
}

/** `url` and `endpoint_url` are the same field. */
export const changeable = {
	...optional({ ...observedFields, agent_access: Type.Array(AgentAccess) }),
	url: Type.Optional(Url),
	endpoint_url: Type.Optional(Url),
	command: Type.Optional(Nullable(Command)),
	args: Type.Optional(Args),
	env: Type.Optional(Env),
	status: Type.Optional(OneOf(serverStatuses)),
	...writable,
}
