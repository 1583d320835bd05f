import { parseExactNumbers } from '../../platform/exact-numbers.ts'

/** The messages in a JSON text: one object or, since a server of 2025-03-26 may batch them, several; none in any other. */
export function parseMessages(text: string): Record<string, unknown>[] {
	try {
		const value: unknown = parseExactNumbers(text)
		return (Array.isArray(value) ? value : [value]).filter(isObject)
	} catch {
		return []
	}
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}
