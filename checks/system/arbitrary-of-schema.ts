import fc from 'fast-check'

export interface Schema {
	$ref?: string
	type?: string
	const?: unknown
	enum?: unknown[]
	anyOf?: Schema[]
	oneOf?: Schema[]
	items?: Schema
	minItems?: number
	maxItems?: number
	uniqueItems?: boolean
	properties?: Record<string, Schema>
	required?: string[]
	additionalProperties?: boolean | Schema
	propertyNames?: { pattern?: string }
	pattern?: string
	format?: string
	minLength?: number
	maxLength?: number
	minimum?: number
	maximum?: number
}

export interface Known {
	/** `components.schemas` of the OpenAPI document. */
	components: Record<string, Schema>
	/** Values to try for a property or parameter of this name, such as ids that exist and addresses that are safe to call. */
	valuesFor(name: string): readonly string[]
}

/** Generates values that a schema accepts, rarely deeply nested ones. It supports the part of JSON Schema that the contract uses. */
export function arbitraryOf(schema: Schema, known: Known, name = ''): fc.Arbitrary<unknown> {
	if (schema.$ref) return arbitraryOf(known.components[nameIn(schema.$ref)] as Schema, known, name)
	if ('const' in schema) return fc.constant(schema.const)
	if (schema.enum) return fc.constantFrom(...schema.enum)
	const choices = schema.anyOf ?? schema.oneOf
	if (choices) return fc.oneof(...choices.map((choice) => arbitraryOf(choice, known, name)))
	switch (schema.type) {
		case 'string':
			return textOf(schema, known.valuesFor(name))
		case 'integer':
			return fc.integer(rangeOf(schema))
		case 'number':
			return fc.double({ ...rangeOf(schema), noNaN: true, noDefaultInfinity: true })
		case 'boolean':
			return fc.boolean()
		case 'null':
			return fc.constant(null)
		case 'array':
			return listOf(schema, known, name)
		case 'object':
			return objectOf(schema, known)
		default:
			return fc.jsonValue({ maxDepth: 3 })
	}
}

function nameIn(reference: string): string {
	return reference.split('/').at(-1) as string
}

function rangeOf({ minimum, maximum }: Schema) {
	return { min: Math.max(minimum ?? -1e9, -2e9), max: Math.min(maximum ?? 1e9, 2e9) }
}

function textOf(schema: Schema, values: readonly string[]): fc.Arbitrary<string> {
	const plain = plainText(schema)
	return values.length === 0 ? plain : fc.oneof(plain, { weight: 3, arbitrary: fc.constantFrom(...values) })
}

/** RFC 3339, but not what every program can keep: a leap second, and the ends of the years with four digits. */
const unusualTimes = ['2026-12-31T23:59:60Z', '0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00']

function plainText({ pattern, format, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<string> {
	const years = { min: new Date(0), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true }
	if (format === 'date-time')
		return fc.oneof(
			{ weight: 9, arbitrary: fc.date(years).map((date) => date.toISOString()) },
			fc.constantFrom(...unusualTimes),
		)
	const max = Math.min(maxLength, Math.max(minLength, 60))
	const text = pattern
		? fc.stringMatching(new RegExp(pattern))
		: fc.string({ minLength, maxLength: max, unit: 'grapheme' })
	return text.map((value) => cut(value, maxLength)).filter((value) => value.length >= minLength)
}

/** Truncates a text without splitting a surrogate pair. */
function cut(text: string, length: number): string {
	return [...text].reduce(
		(kept, character) => ((kept + character).length <= length ? kept + character : kept),
		'',
	)
}

function listOf(schema: Schema, known: Known, name: string): fc.Arbitrary<unknown[]> {
	const least = schema.minItems ?? 0
	const limits = { minLength: least, maxLength: Math.min(schema.maxItems ?? 5, Math.max(least, 5)) }
	const item = arbitraryOf(schema.items ?? {}, known, name)
	const selector = (value: unknown) => JSON.stringify(value)
	return schema.uniqueItems ? fc.uniqueArray(item, { ...limits, selector }) : fc.array(item, limits)
}

function objectOf(schema: Schema, known: Known): fc.Arbitrary<object> {
	const fields = Object.entries(schema.properties ?? {}).map(
		([name, field]) => [name, arbitraryOf(field, known, name)] as const,
	)
	const requiredKeys = schema.required ?? []
	const own = fc.record(Object.fromEntries(fields), { requiredKeys })
	if (typeof schema.additionalProperties !== 'object') return own
	const key = fc.stringMatching(new RegExp(schema.propertyNames?.pattern ?? '^[A-Za-z0-9 _-]{1,12}$'))
	const values = arbitraryOf(schema.additionalProperties, known)
	return fc.tuple(own, fc.dictionary(key, values, { maxKeys: 4 })).map(([a, b]) => ({ ...b, ...a }))
}
