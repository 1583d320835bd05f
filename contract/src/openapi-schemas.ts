import type { TSchema } from 'typebox'
import { anyKey } from './common.ts'

/** A JSON Schema as plain data. */
export type JsonSchema = Record<string, unknown>

/**
 * Stands in a schema for the component that contains it: what serialises answers cannot follow a reference to an outer schema. It
 * serialises any object here, and the document refers to the component.
 */
export function componentWithin(title: string) {
	return { type: 'object', additionalProperties: true, $comment: `#/components/schemas/${title}` }
}

/** Collects titled schemas as components; a title that names two different schemas throws. */
export function createSchemaCollector() {
	const components: Record<string, JsonSchema> = {}

	function project(schema: TSchema | JsonSchema): JsonSchema {
		if ('$comment' in schema) return { $ref: schema.$comment }
		const plain = projectKeywords(schema as JsonSchema)
		const title = plain.title
		if (typeof title !== 'string') return plain
		const known = components[title]
		if (known && JSON.stringify(known) !== JSON.stringify(plain)) {
			throw new Error(`Two different schemas have the title ${title}`)
		}
		components[title] = plain
		return { $ref: `#/components/schemas/${title}` }
	}

	function projectKeywords(schema: JsonSchema): JsonSchema {
		const { patternProperties, ...rest } = schema
		const plain: JsonSchema = { ...rest, ...(patternProperties ? asMap(patternProperties as object) : {}) }
		if (plain.properties)
			plain.properties = mapValues(plain.properties as Record<string, JsonSchema>, project)
		if (plain.items) plain.items = project(plain.items as JsonSchema)
		if (plain.anyOf) plain.anyOf = (plain.anyOf as JsonSchema[]).map(project)
		if (isObject(plain.additionalProperties)) plain.additionalProperties = project(plain.additionalProperties)
		return plain
	}

	return { components, project }
}

/** A map whose keys match one pattern, in the keywords that client generators understand. */
function asMap(patternProperties: object): JsonSchema {
	const [pattern = '', values = {}] = Object.entries(patternProperties)[0] ?? []
	const anyName = pattern === anyKey
	return { additionalProperties: values, ...(!anyName && { propertyNames: { pattern } }) }
}

function isObject(value: unknown): value is JsonSchema {
	return typeof value === 'object' && value !== null
}

function mapValues<T, U>(record: Record<string, T>, map: (value: T) => U): Record<string, U> {
	return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}
