import { hash } from 'node:crypto'

/**
 * Hash of a tool's arguments: 32 hex digits, independent of key order and of whether they are given as an object or as JSON text;
 * '' for invalid JSON. Different salts give different hashes.
 */
export function hashOfArguments(given: unknown, salt: string): string {
	try {
		const text = typeof given === 'string' ? given || '{}' : JSON.stringify(given ?? {})
		return hashOfParsed(JSON.parse(text), salt)
	} catch {
		return ''
	}
}

/** Like `hashOfArguments`, for arguments that `JSON.parse` returned. */
export function hashOfParsed(values: unknown, salt: string): string {
	return hash('sha256', `${salt}\0${JSON.stringify(sorted(values))}`, 'hex').slice(0, 32)
}

function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted)
	if (typeof value !== 'object' || value === null) return value
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
	return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}
