import type { AttributeValue } from '../span-row.ts'

const keys: string[] = []

/** The attributes of one span, or one resource, that columns are made from, by the number of their key. */
export type HotValues = (AttributeValue | undefined)[]

/** Keys that mean the same in different conventions, the one to believe first. Their numbers are the place in HotValues. */
export type Names = readonly number[]

/** Registers keys to be picked out of attributes while they are read. For module scope only. */
export function named(...names: string[]): Names {
	return names.map((name) => {
		const known = keys.indexOf(name)
		return known >= 0 ? known : keys.push(name) - 1
	})
}

export function newHotValues(): HotValues {
	return keys.map(() => undefined)
}

/** The number of every registered key. */
export function hotKeyNumbers(): ReadonlyMap<string, number> {
	return new Map(keys.map((key, number) => [key, number]))
}

/** The first value that is there, or undefined. */
export function first(values: HotValues, names: Names): AttributeValue | undefined {
	for (let i = 0; i < names.length; i++) {
		const value = values[names[i] as number]
		if (value !== undefined && value !== null && value !== '') return value
	}
	return undefined
}

/** The first value that is text (or a number, as text), or ''. */
export function firstText(values: HotValues, names: Names): string {
	const value = first(values, names)
	if (typeof value === 'string') return value
	return typeof value === 'bigint' || typeof value === 'number' ? String(value) : ''
}

/** The first value as a whole number that a float holds exactly; null when there is none or it is not one. */
export function firstInteger(values: HotValues, names: Names): number | null {
	const value = first(values, names)
	if (value === undefined || typeof value === 'boolean' || typeof value === 'object') return null
	const number = typeof value === 'string' && !/^-?\d+$/.test(value) ? Number.NaN : Number(value)
	return Number.isSafeInteger(number) ? number : null
}
