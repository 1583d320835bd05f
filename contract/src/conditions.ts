import { Type } from 'typebox'

const conditionPattern = '^(![^=!<>~]+|[^=!<>~]+|[^=!<>~]+(=|!=|~=|!~=|<=|>=|<|>)[\\s\\S]*)$'

/** All conditions must hold. */
export const attributeFilter = Type.Optional(
	Type.Array(
		Type.String({
			pattern: conditionPattern,
			maxLength: 1024,
			examples: ['http.route=/v1/agents', 'retry.count>=2', 'error.type', '!user.id'],
		}),
		{
			maxItems: 10,
			description:
				'All must match. Conditions on attributes of the span or its resource: `key=text` equals, `key!=text` differs or is absent, `key~=text` contains, ignoring case (`!~=`: does not), `key<5`, `<=`, `>`, `>=` compare numbers, `key` is present, `!key` is absent',
		},
	),
)

/** The fields that conditions and groups can name besides attributes. */
export const callFields = [
	...['kind', 'status', 'agent', 'agent_name', 'server', 'server_name', 'tool', 'provider', 'model'],
	...[
		'model_requested',
		'connection',
		'user',
		'session',
		'client',
		'error_type',
		'status_message',
		'service',
	],
	...['duration_ms', 'input_tokens', 'cache_read_tokens', 'cache_write_tokens', 'output_tokens'],
	...['reasoning_tokens', 'cost_usd', 'name', 'source', 'dialect', 'mcp_method', 'key', 'http_status'],
	...['resource', 'prompt'],
	...['request_bytes', 'response_bytes', 'time_to_first_token_ms'],
	/** Name, error, messages and attributes: any text of a call; only for `~=`. */
	'text',
] as const

/** All conditions must hold. The same grammar as `attributeFilter`, also for fields. */
export const conditionFilter = Type.Optional(
	Type.Array(
		Type.String({
			pattern: conditionPattern,
			maxLength: 1024,
			examples: ['duration_ms>=500', 'tool~=search', 'http.route=/v1/agents', '!user'],
		}),
		{
			maxItems: 10,
			description: `All must hold. Same syntax as \`attribute\`, also for these fields: ${callFields.join(', ')} (\`text~=\` searches messages). Other names, and \`@name\`, are attributes`,
		},
	),
)
