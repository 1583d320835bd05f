import type { Schema } from './schema-words.ts'

const atLeast = ['minLength', 'minItems', 'minProperties', 'minContains'] as const
const atMost = ['maxLength', 'maxItems', 'maxProperties', 'maxContains'] as const
/** Judged here; the rest of a schema's keywords are somebody else's. */
export const boundWords: readonly string[] = [
	...atLeast,
	...atMost,
	...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]

/** The keyword by which `newer` allows less than `older`; null when every bound is as wide. */
export function narrowerBound(older: Schema, newer: Schema): string | null {
	for (const word of atLeast) if (isLess(older[word] ?? 0, newer[word])) return word
	for (const word of atMost)
		if (newer[word] !== undefined && !(Number(older[word] ?? Infinity) <= Number(newer[word]))) return word
	if (!isLowerEndWithin(older, newer)) return 'minimum'
	if (!isUpperEndWithin(older, newer)) return 'maximum'
	return isMultiple(older.multipleOf, newer.multipleOf) ? null : 'multipleOf'
}

function isLess(older: unknown, newer: unknown): boolean {
	return newer !== undefined && !(Number(older) >= Number(newer))
}

/** Integers beyond 2^53 are no JSON that two programs would read alike, so a bound there forbids nothing new. */
function lowerEnd(schema: Schema): [end: number, exclusive: boolean] {
	const minimum = Number(schema.minimum ?? -Infinity)
	const above = Number(schema.exclusiveMinimum ?? -Infinity)
	if (minimum <= Number.MIN_SAFE_INTEGER && above === -Infinity) return [-Infinity, false]
	return above >= minimum ? [above, true] : [minimum, false]
}

function isLowerEndWithin(older: Schema, newer: Schema): boolean {
	const [was, wasExclusive] = lowerEnd(older)
	const [is, isExclusive] = lowerEnd(newer)
	if (was > is || (is === -Infinity && !isExclusive)) return true
	return was === is && (!isExclusive || wasExclusive)
}

/** The same on the other side of zero. */
function isUpperEndWithin(older: Schema, newer: Schema): boolean {
	return isLowerEndWithin(mirrored(older), mirrored(newer))
}

function mirrored({ maximum, exclusiveMaximum }: Schema): Schema {
	return {
		...(maximum !== undefined && { minimum: -Number(maximum) }),
		...(exclusiveMaximum !== undefined && { exclusiveMinimum: -Number(exclusiveMaximum) }),
	}
}

function isMultiple(older: unknown, newer: unknown): boolean {
	if (newer === undefined || older === newer) return true
	return older !== undefined && Number.isInteger(Number(older) / Number(newer))
}
