/** The questions in the order of their tabs; all but the last are answered by `GET /v1/spotlight/mcp/{question}`. */
export const mcpQuestions = [
	{ value: 'selection', label: 'Never called' },
	{ value: 'changes', label: 'Changed tools' },
	{ value: 'arguments', label: 'Refused arguments' },
	{ value: 'loops', label: 'Retry loops' },
	{ value: 'overlaps', label: 'Overlaps' },
	{ value: 'unregistered', label: 'Not registered' },
	{ value: 'grants', label: 'Unused grants' },
] as const
export type McpQuestion = (typeof mcpQuestions)[number]['value']
