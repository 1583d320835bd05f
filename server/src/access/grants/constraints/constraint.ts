import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { Problem } from '../../../platform/errors.ts'
import { withPlainNumbers } from '../../../platform/json/parse-json.ts'
import { compileRe2 } from '../../../platform/re2.ts'

/** A condition on the arguments of one tool. */
export interface Constraint {
	/** Null if the arguments satisfy it, otherwise a sentence about the first violation. Throws if that cannot be determined. */
	refusal(values: unknown): string | null
}

const maxKept = 5000
const compiled = new Map<string, Constraint>()

/** Grants with the same schema share one constraint. It is compiled at first use, so that loading many grants is fast. */
export function constraintOf(schema: unknown): Constraint {
	const text = JSON.stringify(schema)
	const known = compiled.get(text)
	if (known) return known
	const made = createConstraint(schema)
	const oldest = compiled.size >= maxKept ? compiled.keys().next().value : undefined
	if (oldest !== undefined) compiled.delete(oldest)
	compiled.set(text, made)
	return made
}

function createConstraint(schema: unknown): Constraint {
	let validate: Validator | null = null
	let names: DecidingNames | null = null
	return {
		refusal: (values) => {
			validate ??= compileConstraint(schema)
			names ??= decidingNames(schema)
			const key = keyOfOtherCase(values, names)
			return key === null
				? validate(withPlainNumbers(values))
				: `${JSON.stringify(key)} is written in another case than its name`
		},
	}
}

/** Names by their case-folded form; several if a schema contains names that differ only in case. */
type DecidingNames = ReadonlyMap<string, ReadonlySet<string>>

/**
 * The property names on which a constraint depends. A server that ignores the case of keys would read `Path` where the constraint
 * checked `path`. Some map `ſ` to `s`, as upper-casing does.
 */
function decidingNames(schema: unknown): DecidingNames {
	const names = new Map<string, Set<string>>()
	collect(schema, names)
	return names
}

/** The first key in a value that equals a deciding name except for its case, or null. */
function keyOfOtherCase(value: unknown, names: DecidingNames): string | null {
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

/** Null if the value is valid, otherwise a sentence about the first violation. */
type Validator = (value: unknown) => string | null

/** Formats that a constraint may use. Each is checked in linear time. */
export const constraintFormats = ['date', 'date-time', 'time', 'email', 'ipv4', 'uuid', 'uri'] as const

let shared: Ajv2020 | null = null

/**
 * Compiles a schema accepted by `checkConstraintSchema`. Throws if it is not a schema. Inherited properties never count as
 * present, and the value is not modified.
 */
export function compileConstraint(schema: unknown): Validator {
	shared ??= createAjv()
	const validate = shared.compile(schema as object | boolean)
	if (typeof schema === 'object') shared.removeSchema(schema as object)
	return (value) => (validate(value) ? null : describe(validate.errors?.[0]))
}

function createAjv(): Ajv2020 {
	const code = { regExp: linearRegExp }
	const ajv = new Ajv2020({ strict: false, ownProperties: true, addUsedSchema: false, logger: false, code })
	formats.default(ajv, { mode: 'fast', formats: [...constraintFormats] })
	return ajv
}

function describe(error: ErrorObject | undefined): string {
	if (!error) return 'the arguments are not valid'
	const extra = error.params.additionalProperty ?? error.params.unevaluatedProperty
	const where = `${error.instancePath}${extra === undefined ? '' : `/${String(extra)}`}` || 'the arguments'
	return `${where} ${error.message ?? 'is not valid'}`.slice(0, 300)
}

const longest = 16_384

interface LinearRegExp {
	test(text: string): boolean
	toString(): string
}

/**
 * A pattern in RE2 syntax, matched in time linear to the text: no look-around and no back-references. Throws for a pattern that
 * RE2 does not support. Also throws for texts over 16,384 characters, because "no match" could mean "allowed".
 */
export function linearRegExp(pattern: string): LinearRegExp {
	const compiled = compileRe2(pattern)
	return {
		test: (text) => {
			if (text.length > longest) throw new RangeError('The text is too long for a pattern.')
			return compiled.matcher(text).find()
		},
		// The schema compiler distinguishes patterns by this text.
		toString: () => pattern,
	}
}
linearRegExp.code = 'linearRegExp'

const maxBytes = 262_144
/** Schemas that were accepted: many grants often share a policy, and compiling it is slow. */
const passed = new Set<string>()
const maxPassed = 2000

/** Throws 400, with the tool and the place, unless every schema can be used as a constraint. */
export function checkConstraints(constraints: Record<string, unknown>): void {
	if (JSON.stringify(constraints).length > maxBytes)
		throw refused('', `are larger than ${maxBytes} characters together`)
	for (const [tool, schema] of Object.entries(constraints)) {
		const text = JSON.stringify(schema)
		if (passed.has(text)) continue
		const why = checkConstraintSchema(schema) ?? tryCompile(schema)
		if (why === null) remember(text)
		else throw refused(`/${tool.replaceAll('~', '~0').replaceAll('/', '~1')}`, why)
	}
}

function remember(text: string): void {
	if (passed.size >= maxPassed) passed.clear()
	passed.add(text)
}

function tryCompile(schema: unknown): string | null {
	try {
		compileConstraint(schema)
		return null
	} catch (error) {
		return `is no JSON Schema: ${(error as Error).message}`.slice(0, 300)
	}
}

function refused(pointer: string, detail: string): Problem {
	return new Problem('invalid_request', `body/constraints${pointer}: ${detail}.`, {
		errors: [{ pointer: `/constraints${pointer}`, code: 'constraint', detail }],
	})
}

type Schema = Record<string, unknown>

const maxSchemaBytes = 16_384
const maxDepth = 20
/** Limit of nodes with every `$ref` expanded. Bounds the cost of one check of arguments. */
const maxNodes = 1000
const maxUnique = 1000

const draft = 'https://json-schema.org/draft/2020-12/schema'
const plain = [
	'type const enum minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength',
	'minItems maxItems minContains maxContains minProperties maxProperties required dependentRequired',
	'title description default examples deprecated readOnly writeOnly $comment',
]
const plainKeywords = new Set(plain.join(' ').split(' '))
const oneSchema = new Set(
	'items additionalProperties propertyNames contains not if then else unevaluatedItems unevaluatedProperties'.split(
		' ',
	),
)
const listOfSchemas = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const mapOfSchemas = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])

/**
 * Why a schema cannot be used as a constraint, as a sentence with the place, or null. Unknown keywords are refused, so that a
 * typing error cannot allow what it should deny.
 */
export function checkConstraintSchema(schema: unknown): string | null {
	if (JSON.stringify(schema).length > maxSchemaBytes) return `is larger than ${maxSchemaBytes} characters`
	try {
		const count = countNodes(schema, { root: schema, at: '', depth: 0, within: [] })
		return count > maxNodes ? `has more than ${maxNodes} parts, counting each use of a $ref` : null
	} catch (error) {
		if (error instanceof SchemaRefusal) return error.message
		throw error
	}
}

class SchemaRefusal extends Error {}

interface Place {
	root: unknown
	at: string
	depth: number
	/** The references that are being followed. None of them may lead to itself. */
	within: readonly string[]
}

function countNodes(schema: unknown, place: Place): number {
	if (typeof schema === 'boolean') return 1
	if (!isObject(schema)) throw refusedAt(place, 'must be a schema: an object or a truth value')
	if (place.depth > maxDepth) throw refusedAt(place, `is nested deeper than ${maxDepth}`)
	let count = 1
	for (const [keyword, value] of Object.entries(schema)) {
		const inner = { ...place, at: `${place.at}/${keyword}`, depth: place.depth + 1 }
		count += countKeyword(schema, keyword, value, inner)
		if (count > maxNodes) return count
	}
	return count
}

function countKeyword(schema: Schema, keyword: string, value: unknown, place: Place): number {
	if ((keyword === 'const' || keyword === 'enum') && hasRoundedInteger(value))
		throw refusedAt(place, 'has an integer beyond 2^53, which is compared with its neighbours as equal')
	if (plainKeywords.has(keyword)) return 1
	if (oneSchema.has(keyword)) return countNodes(value, place)
	if (listOfSchemas.has(keyword) && Array.isArray(value)) return sum(Object.entries(value), place)
	if (mapOfSchemas.has(keyword) && isObject(value)) {
		if (keyword === 'patternProperties') for (const name of Object.keys(value)) checkPattern(name, place)
		return sum(Object.entries(value), place)
	}
	if (keyword === '$ref') return countReferred(value, place)
	checkSpecial(schema, keyword, value, place)
	return 1
}

/** The neighbours of such an integer are rounded to the same number, in the schema and in arguments. */
function hasRoundedInteger(value: unknown): boolean {
	if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
	return typeof value === 'object' && value !== null && Object.values(value).some(hasRoundedInteger)
}

function checkSpecial(schema: Schema, keyword: string, value: unknown, place: Place): void {
	if (keyword === 'pattern') checkPattern(value, place)
	else if (keyword === 'format') {
		if (!(constraintFormats as readonly unknown[]).includes(value))
			throw refusedAt(place, `is none of ${constraintFormats.join(', ')}`)
	} else if (keyword === 'uniqueItems') {
		if (value === true && !(typeof schema.maxItems === 'number' && schema.maxItems <= maxUnique))
			throw refusedAt(place, `needs maxItems of at most ${maxUnique} beside it`)
	} else if (keyword !== '$schema' || value !== draft)
		throw refusedAt(place, 'is no keyword that a constraint can have')
}

function checkPattern(value: unknown, place: Place): void {
	try {
		linearRegExp(String(value))
	} catch (error) {
		throw refusedAt(place, `cannot be matched in linear time (${(error as Error).message})`)
	}
}

function countReferred(reference: unknown, place: Place): number {
	if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference))
		throw refusedAt(place, 'must point into the schema itself, as #/$defs/…')
	if (place.within.includes(reference)) throw refusedAt(place, 'leads to itself')
	const target = targetOf(place.root, reference)
	if (target === undefined) throw refusedAt(place, 'points at nothing')
	return countNodes(target, { ...place, within: [...place.within, reference] })
}

function targetOf(root: unknown, reference: string): unknown {
	let target: unknown = root
	for (const part of reference.split('/').slice(1)) {
		const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
		if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return undefined
		target = (target as Schema)[name]
	}
	return target
}

function sum(schemas: readonly [name: string, schema: unknown][], place: Place): number {
	let count = 0
	for (const [name, schema] of schemas) {
		count += countNodes(schema, { ...place, at: `${place.at}/${name}` })
		if (count > maxNodes) break
	}
	return count
}

function refusedAt({ at }: Place, why: string): SchemaRefusal {
	return new SchemaRefusal(`${at || 'the schema'} ${why}`)
}

function isObject(value: unknown): value is Schema {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}
