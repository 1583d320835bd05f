import {
	approvers,
	CallLimits,
	definitionPolicies,
	deniableHints,
	Groups,
	MapOf,
	ModelAccess,
	Name,
	OneOf,
	providers,
	Strict,
	toolListings,
	vendors,
} from '@signalbox/contract'
import { type Static, Type } from 'typebox'

const Slug = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 24 })
const Description = Type.Optional(Type.String({ maxLength: 500 }))
const ToolNames = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { uniqueItems: true })
const Secrets = MapOf(Type.String(), {
	description: 'Values may hold references to secrets: `${' + 'env:NAME}` or `${' + 'file:path}`',
})

export const ConnectionEntry = Strict(
	{
		name: Type.String({ pattern: '^[a-z0-9]+([_-][a-z0-9]+)*$', maxLength: 40 }),
		provider: OneOf(providers),
		base_url: Type.Optional(Type.String({ minLength: 1 })),
		priced_as: Type.Optional(
			OneOf(vendors, { description: 'Whose prices apply; absent: by the host of base_url' }),
		),
		record_bodies: Type.Optional(Type.Boolean({ description: 'Absent: stays as it is, true for a new one' })),
		inject_usage: Type.Optional(Type.Boolean({ description: 'Absent: stays as it is, false for a new one' })),
		key: Type.Optional(
			Type.String({
				pattern: '^\\$\\{(env|file):[^}]+\\}$',
				description: 'A reference; absent: the stored key stays',
			}),
		),
	},
	{ description: 'An account at a model provider' },
)

export const ServerEntry = Strict(
	{
		slug: Slug,
		name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'The slug when absent' })),
		description: Description,
		url: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
		command: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
		args: Type.Optional(Type.Array(Type.String())),
		status: Type.Optional(OneOf(['active', 'inactive'])),
		headers: Type.Optional(Secrets),
		env: Type.Optional(Secrets),
		configuration: Type.Optional(MapOf(Type.Unknown())),
		call_limits: Type.Optional(MapOf(CallLimits)),
		max_result_bytes: Type.Optional(Type.Integer()),
		tool_prefix: Type.Optional(Type.String()),
		tool_aliases: Type.Optional(MapOf(Type.String())),
		definition_policy: Type.Optional(
			OneOf(definitionPolicies, { description: 'Absent: stays as it is, `keep-approved` for a new one' }),
		),
	},
	{ description: 'An MCP server: its address, or a program' },
)

export const AgentEntry = Strict({
	name: Name,
	description: Description,
	status: Type.Optional(OneOf(['active', 'paused', 'stopped'])),
	groups: Type.Optional(Groups),
	model_access: Type.Optional(ModelAccess),
	call_limits: Type.Optional(CallLimits),
	tool_listing: Type.Optional(OneOf(toolListings)),
	/** The former name of `tool_listing`, which existing files may use. */
	tool_face: Type.Optional(OneOf(toolListings)),
})

export const ToolsetEntry = Strict({
	name: Name,
	description: Description,
	groups: Type.Optional(Groups),
	tools: Type.Optional(Type.Array(Strict({ server: Slug, tools: ToolNames }))),
})

export const GrantEntry = Strict({
	agent: Name,
	server: Slug,
	access_mode: OneOf(['all', 'selected']),
	allowed_tools: Type.Optional(ToolNames),
	allowed_prompts: Type.Optional(ToolNames),
	allowed_resources: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 512 }))),
	enabled: Type.Optional(Type.Boolean()),
	expires_at: Type.Optional(Type.String({ format: 'date-time' })),
	constraints: Type.Optional(MapOf(Type.Unknown())),
	approval: Type.Optional(MapOf(OneOf(['ask']))),
	approver: Type.Optional(OneOf(approvers)),
	approval_wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 120_000 })),
	denied_hints: Type.Optional(Type.Array(OneOf(deniableHints), { uniqueItems: true })),
	call_limits: Type.Optional(MapOf(CallLimits)),
})

export const WebhookEntry = Strict({
	url: Type.String({ minLength: 1, maxLength: 2048 }),
	events: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, uniqueItems: true }),
	description: Description,
	enabled: Type.Optional(Type.Boolean()),
})

export const LimitEntry = Strict({
	class: OneOf(['api', 'anonymous', 'mcp', 'model', 'otlp']),
	requests: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
	window_s: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
})

/** The configuration file. Sections that are absent are ignored. */
export const ConfigurationFile = Strict(
	{
		version: Type.Literal(1),
		connections: Type.Optional(Type.Array(ConnectionEntry)),
		servers: Type.Optional(Type.Array(ServerEntry)),
		agents: Type.Optional(Type.Array(AgentEntry)),
		toolsets: Type.Optional(Type.Array(ToolsetEntry)),
		grants: Type.Optional(Type.Array(GrantEntry)),
		webhooks: Type.Optional(Type.Array(WebhookEntry)),
		limits: Type.Optional(Type.Array(LimitEntry)),
	},
	{ title: 'Signalbox configuration' },
)

export type ConfigurationFile = Static<typeof ConfigurationFile>
export type Section = Exclude<keyof ConfigurationFile, 'version'>
export type EntryOf<S extends Section> = NonNullable<ConfigurationFile[S]>[number]

/** In the order in which objects are created: each refers only to earlier ones. */
export const sections = [
	'connections',
	'servers',
	'agents',
	'toolsets',
	'grants',
	'webhooks',
	'limits',
] as const

/** JSON Schema for editors. */
export function fileSchema(): object {
	return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...ConfigurationFile }
}
