/** The insights in the order of their tabs; all except the last are answered by `GET /v1/spotlight/mcp/{question}`. */
export const insightNames = [
	{ value: 'selection', label: 'Never called', file: 'tool_selection' },
	{ value: 'changes', label: 'Changed tools', file: 'definition_changes' },
	{ value: 'arguments', label: 'Refused arguments', file: 'invalid_arguments' },
	{ value: 'loops', label: 'Retry loops', file: 'retry_loops' },
	{ value: 'overlaps', label: 'Overlaps', file: 'overlaps' },
	{ value: 'unregistered', label: 'Not registered', file: 'unregistered_servers' },
	{ value: 'grants', label: 'Unused grants', file: null },
] as const
export type Insight = (typeof insightNames)[number]['value']
