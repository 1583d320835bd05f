import { isDeepStrictEqual } from 'node:util'
import { withPlainNumbers } from '../../../platform/json/parse-json.ts'
import { isObject, type ToolDefinition } from '../definition.ts'
import {
	areEqualIgnoringAnnotations,
	constrainingKeywords,
	listOf,
	resolve,
	type Schema,
} from './schema-keywords.ts'

/**
 * Why agents cannot continue with the approved definition of a changed tool. Null if they can: every call that is valid under the
 * approved input schema is valid under the current one.
 */
export function findIncompatibility(approved: ToolDefinition, current: ToolDefinition): string | null {
	const found = findNarrowing(approved.inputSchema, current.inputSchema)
	return found && `inputSchema${found.pointer}: ${found.detail}`
}

/**
 * What agents see of a tool that changed compatibly: the approved definition. Its output schema is omitted if the results may no
 * longer match it, and the tool is not shown as safer than its server now declares. Nothing else of the current definition is used.
 */
export function keepApproved(approved: ToolDefinition, current: ToolDefinition): ToolDefinition {
	const { outputSchema, annotations, ...kept } = approved
	const hints = cautious(annotations, current.annotations)
	return {
		...kept,
		...(isPromiseKept(outputSchema, current.outputSchema) && { outputSchema }),
		...(hints !== undefined && { annotations: hints }),
	}
}

function isPromiseKept(approved: unknown, current: unknown): boolean {
	return approved !== undefined && current !== undefined && findNarrowing(current, approved) === null
}

/** The value of each hint that clients and grants take as the safer one. */
const saferHints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

/** The approved hints, except those that the server no longer gives as safe. */
function cautious(approved: unknown, current: unknown): unknown {
	if (!isObject(approved)) return approved
	const now = isObject(current) ? current : {}
	const hints = { ...approved }
	for (const [hint, safer] of Object.entries(saferHints))
		if (now[hint] === !safer || (hints[hint] === safer && now[hint] !== safer)) hints[hint] = !safer
	return hints
}

const atLeast = ['minLength', 'minItems', 'minProperties', 'minContains'] as const
const atMost = ['maxLength', 'maxItems', 'maxProperties', 'maxContains'] as const
/** Keywords handled here; other rules handle the rest. */
const boundKeywords: readonly string[] = [
	...atLeast,
	...atMost,
	...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]

/** The keyword by which `newer` allows less than `older`; null if every bound is at least as wide. */
function narrowerBound(older: Schema, newer: Schema): string | null {
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

/** Integers beyond 2^53 are not interoperable JSON, so a bound there forbids nothing new. */
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

/** The same for upper bounds. */
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

/** A place in the newer schema that rejects something that the older one allows, or that cannot be compared. */
interface Narrowing {
	/** JSON pointer into the newer schema. */
	pointer: string
	detail: string
}

interface Place {
	older: unknown
	newer: unknown
	/** Pairs being compared further up: for a recursive schema they are assumed to be as wide. */
	open: readonly (readonly [unknown, unknown])[]
}

type Comparison = (older: Schema, newer: Schema, pointer: string, place: Place) => Narrowing | null

const maxDepth = 48

/**
 * Why the newer schema may reject something that is valid under the older one. Null if everything valid under the older one is
 * valid under the newer one. Compares structure only, and in doubt assumes a narrowing. If the older schema names properties, only
 * those count, unless it gives a schema for others: agents send what they were shown, and `additionalProperties: true` means no
 * more than its absence.
 */
export function findNarrowing(older: unknown, newer: unknown): Narrowing | null {
	if (isDeepStrictEqual(older, newer)) return null
	const [was, is] = [withPlainNumbers(older), withPlainNumbers(newer)]
	return compare(was, is, '', { older: was, newer: is, open: [] })
}

function compare(older: unknown, newer: unknown, pointer: string, place: Place): Narrowing | null {
	const was = resolve(older ?? true, place.older)
	const is = resolve(newer ?? true, place.newer)
	if (was === null || is === null) return at(pointer, 'refers to a schema that is not in the definition')
	if (is === true || was === false) return null
	if (isObject(is) && constrainingKeywords(is).length === 0) return null
	if (!isObject(is)) return at(pointer, 'allows nothing')
	if (place.open.some(([a, b]) => a === was && b === is)) return null
	if (place.open.length >= maxDepth) return at(pointer, 'is nested too deeply to be compared')
	const inside = { ...place, open: [...place.open, [was, is] as const] }
	return compareObjects(isObject(was) ? was : {}, is, pointer, inside)
}

function at(pointer: string, detail: string): Narrowing {
	return { pointer, detail }
}

/** A union is covered if each branch is, and a conjunction if any of its parts is. */
const compareObjects: Comparison = (older, newer, pointer, place) => {
	const union = older.anyOf ?? older.oneOf
	const branches = Array.isArray(union) ? union : null
	if (branches?.every((branch) => compare(branch, newer, pointer, place) === null)) return null
	const parts = listOf(older.allOf)
	if (parts.some((part) => compare(part, newer, pointer, place) === null)) return null
	for (const compare of comparisons) {
		const found = compare(older, newer, pointer, place)
		if (found) return found
	}
	return null
}

const compareType: Comparison = (older, newer, pointer) => {
	if (newer.type === undefined) return null
	const allowed = new Set(listOf(newer.type))
	const missing = typesOf(older).find(
		(type) => !allowed.has(type) && !(type === 'integer' && allowed.has('number')),
	)
	if (missing === undefined) return null
	return at(
		`${pointer}/type`,
		missing === 'any' ? `is now ${[...allowed].join(' or ')} only` : `no longer allows ${missing}`,
	)
}

function typesOf(schema: Schema): unknown[] {
	if (schema.type !== undefined) return listOf(schema.type)
	const values = valuesOf(schema)
	return values ? [...new Set(values.map(typeOf))] : ['any']
}

function typeOf(value: unknown): string {
	if (value === null) return 'null'
	if (Array.isArray(value)) return 'array'
	return Number.isInteger(value) ? 'integer' : typeof value
}

function valuesOf(schema: Schema): unknown[] | null {
	if ('const' in schema) return [schema.const]
	return Array.isArray(schema.enum) ? schema.enum : null
}

const compareValues: Comparison = (older, newer, pointer) => {
	const allowed = valuesOf(newer)
	if (!allowed) return null
	const had = valuesOf(older)
	const lost = had?.find((value) => !allowed.some((each) => isDeepStrictEqual(each, value)))
	if (had && lost === undefined) return null
	return at(
		`${pointer}/enum`,
		had ? `no longer allows ${JSON.stringify(lost)}` : 'is now one of a few values',
	)
}

const compareBounds: Comparison = (older, newer, pointer) => {
	const word = narrowerBound(older, newer)
	return word === null ? null : at(`${pointer}/${word}`, 'allows less than before')
}

const compareProperties: Comparison = (older, newer, pointer, place) => {
	const was = isObject(older.properties) ? older.properties : {}
	const is = isObject(newer.properties) ? newer.properties : {}
	const others = othersOf(older)
	if (older.patternProperties !== undefined && !sameNames(older, newer, was, is))
		return at(`${pointer}/patternProperties`, 'changed in a way that cannot be compared')
	for (const [name, schema] of Object.entries(is)) {
		const before = Object.hasOwn(was, name) ? was[name] : others
		if (before === false) continue
		const found = compare(before, schema, `${pointer}/properties/${pointerPart(name)}`, place)
		if (found) return found
	}
	for (const [name, schema] of Object.entries(was)) {
		if (Object.hasOwn(is, name)) continue
		const found = compare(schema, newer.additionalProperties, `${pointer}/additionalProperties`, place)
		if (found) return at(found.pointer, `no longer allows the property ${name}`)
	}
	if (others === false) return null
	return compare(others, newer.additionalProperties, `${pointer}/additionalProperties`, place)
}

/** The schema for properties without a name. */
function othersOf({ properties, additionalProperties: others = true }: Schema): unknown {
	const open = others === true || (isObject(others) && constrainingKeywords(others).length === 0)
	return open && properties !== undefined ? false : others
}

/** Patterns overlap with plain names, so neither may change if there are patterns. */
function sameNames(older: Schema, newer: Schema, was: Schema, is: Schema): boolean {
	return (
		isDeepStrictEqual(Object.keys(was).sort(), Object.keys(is).sort()) &&
		!refersIn(newer.patternProperties) &&
		areEqualIgnoringAnnotations(
			{ patternProperties: older.patternProperties },
			{ patternProperties: newer.patternProperties },
		)
	)
}

const compareRequired: Comparison = (older, newer, pointer) => {
	const had = listOf(older.required)
	const added = listOf(newer.required).find((name) => !had.includes(name))
	return added === undefined ? null : at(`${pointer}/required`, `now requires ${String(added)}`)
}

/** Every property name is a string, even if the schema does not say so. */
const compareNames: Comparison = (older, newer, pointer, place) => {
	if (newer.propertyNames === undefined) return null
	const names = isObject(older.propertyNames) ? older.propertyNames : {}
	return compare({ type: 'string', ...names }, newer.propertyNames, `${pointer}/propertyNames`, place)
}

const compareItems: Comparison = (older, newer, pointer, place) => {
	if (newer.items === undefined) return null
	if (older.prefixItems !== undefined && newer.prefixItems === undefined)
		return at(`${pointer}/items`, 'changed in a way that cannot be compared')
	return compare(older.items, newer.items, `${pointer}/items`, place)
}

const compareUnion: Comparison = (older, newer, pointer, place) => {
	const union = newer.anyOf
	if (!Array.isArray(union)) return null
	const fits = union.some((branch) => compare(older, branch, `${pointer}/anyOf`, place) === null)
	if (fits) return null
	const parts = Array.isArray(older.anyOf) ? older.anyOf : [older]
	const each = parts.every((part) =>
		union.some((branch) => compare(part, branch, `${pointer}/anyOf`, place) === null),
	)
	return each ? null : at(`${pointer}/anyOf`, 'has no alternative that allows all that was allowed')
}

const compareParts: Comparison = (older, newer, pointer, place) => {
	for (const [index, part] of listOf(newer.allOf).entries()) {
		const found = compare(older, part, `${pointer}/allOf/${index}`, place)
		if (found) return found
	}
	return null
}

const comparedWords = new Set([
	...[
		'type',
		'const',
		'enum',
		'properties',
		'additionalProperties',
		'required',
		'items',
		'anyOf',
		'allOf',
		'propertyNames',
	],
	...boundKeywords,
])

/** Keywords that no rule above understands may only stay unchanged, or be removed. */
const compareOthers: Comparison = (older, newer, pointer) => {
	const isSame = (word: string) =>
		areEqualIgnoringAnnotations(older[word], newer[word]) && !refersIn(newer[word])
	const sameAll = areEqualIgnoringAnnotations(older, newer) && !refersIn(newer)
	const changed = constrainingKeywords(newer).find(
		(word) => !comparedWords.has(word) && !(word.startsWith('unevaluated') ? sameAll : isSame(word)),
	)
	return changed === undefined
		? null
		: at(`${pointer}/${pointerPart(changed)}`, 'changed in a way that cannot be compared')
}

const comparisons: readonly Comparison[] = [
	compareType,
	compareValues,
	compareBounds,
	compareRequired,
	compareProperties,
	compareNames,
	compareItems,
	compareUnion,
	compareParts,
	compareOthers,
]

/** The target of a reference may have changed even if the reference did not. */
function refersIn(value: unknown): boolean {
	return JSON.stringify(value ?? null).includes('"$ref"')
}

function pointerPart(name: string): string {
	return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
