/** A parsed condition of the API: `tool~=search` is a field, an operator and a value. */
export interface Condition {
	/** A field of a call, or `@` and the name of an attribute. */
	field: string
	operator: Operator
	value: string
}

export type Operator = '=' | '!=' | '~=' | '!~=' | '<' | '<=' | '>' | '>=' | 'set' | 'unset'

export const operators: readonly { value: Operator; label: string; sign: string }[] = [
	{ value: '=', label: 'is', sign: '' },
	{ value: '!=', label: 'is not', sign: 'not ' },
	{ value: '~=', label: 'contains', sign: 'contains ' },
	{ value: '!~=', label: 'does not contain', sign: 'without ' },
	{ value: '<', label: 'less than', sign: '< ' },
	{ value: '<=', label: 'at most', sign: '≤ ' },
	{ value: '>', label: 'more than', sign: '> ' },
	{ value: '>=', label: 'at least', sign: '≥ ' },
	{ value: 'set', label: 'is set', sign: 'is set' },
	{ value: 'unset', label: 'is not set', sign: 'is not set' },
]

export function parseCondition(text: string): Condition {
	const [, not, field = '', operator, value = ''] =
		/^(!?)([^=!<>~]+)(?:(!~=|!=|~=|<=|>=|=|<|>)([\s\S]*))?$/.exec(text) ?? []
	return { field, operator: (operator as Operator | undefined) ?? (not ? 'unset' : 'set'), value }
}

export function writeCondition({ field, operator, value }: Condition): string {
	if (operator === 'set') return field
	return operator === 'unset' ? `!${field}` : `${field}${operator}${value}`
}

const words: Readonly<Record<string, string>> = {
	...{ kind: 'Kind', status: 'Status', agent: 'Agent', agent_name: 'Agent name', server: 'Server' },
	...{ server_name: 'Server name', tool: 'Tool', provider: 'Provider', model: 'Model', user: 'User' },
	...{ model_requested: 'Requested model', connection: 'Connection', session: 'Session', client: 'Client' },
	...{ error_type: 'Error type', status_message: 'Error message', service: 'Service', name: 'Span name' },
	...{ duration_ms: 'Duration (ms)', input_tokens: 'Input tokens', output_tokens: 'Output tokens' },
	...{ cost_usd: 'Cost ($)', time_to_first_token_ms: 'First token (ms)', http_status: 'HTTP status' },
	...{ severity: 'Severity', event_name: 'Event name' },
	...{ key: 'Key', source: 'Recorded by', mcp_method: 'MCP method', text: 'Text', resource: 'Resource' },
	...{
		prompt: 'Prompt',
		dialect: 'Convention',
		request_bytes: 'Request bytes',
		response_bytes: 'Response bytes',
	},
}

/** Fields of log records, which calls do not have. */
const ofRecords = ['severity', 'event_name']

/** The fields that a condition can have besides attributes. */
export const conditionFields: readonly string[] = Object.keys(words).filter(
	(field) => !['text', ...ofRecords].includes(field),
)

export function fieldLabel(field: string): string {
	return words[field] ?? field.replace(/^@/, '')
}

/** For lists with separate search parameters: the field in conditions for each parameter name. */
export type Named = Readonly<Record<string, string>>

/** Everything in a search as conditions, including its named parameters and attributes. */
export function conditionsOf(search: object, named: Named): string[] {
	const found = search as Readonly<Record<string, unknown>>
	const texts = Object.entries(named).flatMap(([name, field]) =>
		typeof found[name] === 'string' && found[name] !== '' ? [`${field}=${found[name]}`] : [],
	)
	const attributes = ((found.attribute as string[] | undefined) ?? []).map((one) =>
		one.replace(/^!?/, (not) => `${not}@`),
	)
	return [...texts, ...attributes, ...((found.filter as string[] | undefined) ?? [])]
}

/** The search parameters for these conditions. */
export function searchOf(conditions: readonly string[], named: Named): Record<string, string | string[]> {
	const search: Record<string, string | string[]> = {}
	const filter: string[] = []
	for (const text of conditions) {
		const { field, operator, value } = parseCondition(text)
		const name = Object.keys(named).find((one) => named[one] === field)
		if (operator === '=' && name !== undefined && search[name] === undefined) search[name] = value
		else filter.push(text)
	}
	return { ...search, ...(filter.length > 0 && { filter }) }
}
