/** Readers of values whose type the wire promises but nobody guarantees. */

export type Fields = Record<string, unknown>

export function fieldsIn(value: unknown): Fields | null {
	return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

export function textOr(value: unknown, otherwise: string): string {
	return typeof value === 'string' && value !== '' ? value : otherwise
}

/** A token count; null for anything that is none. */
export function countOrNull(value: unknown): number | null {
	return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

export function countOr0(value: unknown): number {
	return countOrNull(value) ?? 0
}

export function parseFields(text: string): Fields | null {
	try {
		return fieldsIn(JSON.parse(text))
	} catch {
		return null
	}
}

export function utf8Bytes(value: unknown): number {
	return typeof value === 'string' ? Buffer.byteLength(value) : 0
}

export function sumOf(quantities: Readonly<Record<string, number>>): number {
	return Object.values(quantities).reduce((total, quantity) => total + quantity, 0)
}
