import { hash } from 'node:crypto'

/**
 * 32 hex digits, the same for the same arguments of a tool in any order of their names, given as an object or as its
 * JSON; '' for what is no JSON. `salt`: the same arguments have another hash elsewhere.
 */
export function hashOfArguments(given: unknown, salt: string): string {
	try {
		const text = typeof given === 'string' ? given || '{}' : JSON.stringify(given ?? {})
		return hashOfParsed(JSON.parse(text), salt)
	} catch {
		return ''
	}
}

/** The same of arguments that `JSON.parse` gave. */
export function hashOfParsed(values: unknown, salt: string): string {
	return hash('sha256', `${salt}\0${JSON.stringify(sorted(values))}`, 'hex').slice(0, 32)
}

function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted)
	if (typeof value !== 'object' || value === null) return value
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
	return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}
