/** The characters of ids and names, as escapes. Quotes and backslashes are not included, so strings keep their boundaries. */
const escapedSign = /\\u00(2[df]|3\d|[46][1-9a-f]|5[0-9af]|7[0-9a])/gi

const signOf = (_: string, code: string) => String.fromCharCode(Number.parseInt(code, 16))

/**
 * The names in a body that match this pattern, whose first group is the name, without duplicates; and the body with its ids
 * decoded. In a JSON document, places where no reference can be are excluded: a tool's schema and a model's tool arguments. In
 * anything else, like the lines of a batch, everything counts.
 */
export function namesIn(
	body: string,
	pattern: RegExp,
	isDocument: boolean,
): { names: string[]; text: string } {
	// JSON allows every letter to be escaped.
	const text = body.includes('\\u00') ? body.replace(escapedSign, signOf) : body
	const named = countsIn(text, pattern)
	if (named.size === 0 || !isDocument) return { names: [...named.keys()], text }
	const loose = countsIn(JSON.stringify(looseStrings(JSON.parse(body))), pattern)
	const names = [...named].filter(([name, times]) => times > (loose.get(name) ?? 0)).map(([name]) => name)
	return { names, text }
}

function countsIn(text: string, pattern: RegExp): Map<string, number> {
	const counts = new Map<string, number>()
	// Nearly all bodies contain no names, and this check is cheaper.
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

/** All strings in places where no reference can be. */
function looseStrings(value: unknown, isLoose = false): string[] {
	if (typeof value === 'string') return isLoose ? [value] : []
	if (typeof value !== 'object' || value === null) return []
	if (Array.isArray(value)) return value.flatMap((part) => looseStrings(part, isLoose))
	const isToolUse = 'type' in value && String(value.type).endsWith('tool_use')
	return Object.entries(value).flatMap(([key, part]) =>
		looseStrings(part, isLoose || schemas.has(key) || (isToolUse && key === 'input')),
	)
}
