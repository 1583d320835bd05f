/** A tool's definition as received from its server, with all fields. */
export interface ToolDefinition {
	name: string
	[field: string]: unknown
}

/** The parts that an agent or a person reads; the rest (`_meta`, `icons`) is for programs and may change at any time. */
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
