/** A tool's definition as its server sent it, with every field it had. */
export interface ToolDefinition {
	name: string
	[field: string]: unknown
}

/** What an agent or a person reads of a tool; the rest (`_meta`, `icons`) is for programs and may change at any time. */
export const readParts = [
	'name',
	'title',
	'description',
	'inputSchema',
	'outputSchema',
	'annotations',
] as const

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}
