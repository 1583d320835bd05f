import { parseExactNumbers } from '../../platform/exact-numbers.ts'

/** The object in a JSON text, or null. */
export function parseObject(text: string): Record<string, unknown> | null {
	try {
		const value: unknown = parseExactNumbers(text)
		return isObject(value) ? value : null
	} catch {
		return null
	}
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}
