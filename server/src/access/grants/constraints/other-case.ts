/** Names by their folded form; several when a schema means names that differ in case only. */
export type DecidingNames = ReadonlyMap<string, ReadonlySet<string>>

/**
 * The names of properties that a constraint decides by. A server that ignores the case of keys would read `Path` where
 * the constraint judged `path`; some fold `ſ` to `s`, as upper case does.
 */
export function decidingNames(schema: unknown): DecidingNames {
	const names = new Map<string, Set<string>>()
	collect(schema, names)
	return names
}

/** The first key in a value that is a deciding name but for its case; null when there is none. */
export function keyOfOtherCase(value: unknown, names: DecidingNames): string | null {
	if (typeof value !== 'object' || value === null) return null
	for (const [key, inner] of Object.entries(value)) {
		const meant = Array.isArray(value) ? undefined : names.get(fold(key))
		if (meant && !meant.has(key)) return key
		const found = keyOfOtherCase(inner, names)
		if (found !== null) return found
	}
	return null
}

function collect(schema: unknown, names: Map<string, Set<string>>): void {
	if (typeof schema !== 'object' || schema === null) return
	const { properties, required } = schema as { properties?: unknown; required?: unknown }
	const own = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
	for (const name of [...own, ...(Array.isArray(required) ? required : [])])
		if (typeof name === 'string') names.set(fold(name), (names.get(fold(name)) ?? new Set()).add(name))
	for (const inner of Object.values(schema)) collect(inner, names)
}

function fold(name: string): string {
	return name.toUpperCase().toLowerCase()
}
