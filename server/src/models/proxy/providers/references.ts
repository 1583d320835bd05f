/** Signs that ids and names consist of, as escapes; quotes and backslashes are not among them, so that strings keep their ends. */
const escapedSign = /\\u00(2[df]|3\d|[46][1-9a-f]|5[0-9af]|7[0-9a])/gi

/** A body whose ids are written out: JSON lets every letter hide in an escape. */
function withoutEscapes(body: string): string {
	if (!body.includes('\\u00')) return body
	return body.replace(escapedSign, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/**
 * What a body names by this pattern, whose first group is the name, each once; and the body with its ids written out.
 * Of a document of JSON what stands only where nothing can be a reference does not count: in the schema of a tool, or as what a
 * model gave to one. Of anything else, like the lines of a batch, everything counts.
 */
export function namesIn(
	body: string,
	pattern: RegExp,
	isDocument: boolean,
): { names: string[]; text: string } {
	const text = withoutEscapes(body)
	const named = countsIn(text, pattern)
	if (named.size === 0 || !isDocument) return { names: [...named.keys()], text }
	const loose = countsIn(JSON.stringify(looseStrings(JSON.parse(body))), pattern)
	const names = [...named].filter(([name, times]) => times > (loose.get(name) ?? 0)).map(([name]) => name)
	return { names, text }
}

function countsIn(text: string, pattern: RegExp): Map<string, number> {
	const counts = new Map<string, number>()
	// Nearly all bodies name nothing, and to look for that costs less.
	if (text.search(pattern) < 0) return counts
	for (const [, name = ''] of text.matchAll(pattern)) counts.set(name, (counts.get(name) ?? 0) + 1)
	return counts
}

const schemas: ReadonlySet<string> = new Set([
	'input_schema',
	'inputSchema',
	'parameters',
	'parametersJsonSchema',
	'responseSchema',
	'schema',
])

/** Every string where no reference can stand. */
function looseStrings(value: unknown, isLoose = false): string[] {
	if (typeof value === 'string') return isLoose ? [value] : []
	if (typeof value !== 'object' || value === null) return []
	if (Array.isArray(value)) return value.flatMap((part) => looseStrings(part, isLoose))
	const isToolUse = 'type' in value && String(value.type).endsWith('tool_use')
	return Object.entries(value).flatMap(([key, part]) =>
		looseStrings(part, isLoose || schemas.has(key) || (isToolUse && key === 'input')),
	)
}
