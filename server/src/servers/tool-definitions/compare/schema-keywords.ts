import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../definition.ts'

export type Schema = Record<string, unknown>

/** Keywords that only annotate and reject nothing. */
const annotations = new Set([
	...['title', 'description', 'default', 'examples', 'example', 'deprecated', 'readOnly', 'writeOnly'],
	...['$comment', '$schema', '$id', '$anchor', '$defs', 'definitions', 'contentEncoding', 'contentMediaType'],
	...['markdownDescription', 'enumNames', 'enumDescriptions', 'discriminator', 'externalDocs', 'xml'],
])

/** `x-mcp-header` requests an additional header, so it is not an annotation. */
export function isAnnotation(keyword: string): boolean {
	return annotations.has(keyword) || (keyword.startsWith('x-') && keyword !== 'x-mcp-header')
}

/** The keywords of a schema that can reject something. */
export function constrainingKeywords(schema: Schema): string[] {
	return Object.keys(schema).filter((keyword) => !isAnnotation(keyword))
}

/** Whether two values are equal without annotations. */
export function areEqualIgnoringAnnotations(a: unknown, b: unknown): boolean {
	return isDeepStrictEqual(withoutAnnotations(a), withoutAnnotations(b))
}

/** Keywords whose keys are names, not keywords. */
const naming = new Set(['properties', 'patternProperties', 'dependentSchemas'])

function withoutAnnotations(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutAnnotations)
	if (!isObject(value)) return value
	const kept = constrainingKeywords(value).map((name) => [name, withoutIn(name, value[name])])
	return Object.fromEntries(kept)
}

function withoutIn(keyword: string, value: unknown): unknown {
	if (keyword === 'const' || keyword === 'enum' || keyword === 'required') return value
	if (!naming.has(keyword) || !isObject(value)) return withoutAnnotations(value)
	return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutAnnotations(inner)]))
}

/** The schema that a `$ref` within the document refers to, combined with the keywords beside it; null if it refers elsewhere. */
export function resolve(schema: unknown, root: unknown): unknown {
	let found = schema
	for (let step = 0; isObject(found) && typeof found.$ref === 'string'; step += 1) {
		const { $ref, ...beside } = found
		const target = step > 16 ? null : lookUp($ref as string, root)
		if (target === null) return null
		if (constrainingKeywords(beside).length > 0)
			return { ...beside, allOf: [...listOf(beside.allOf), target] }
		found = target
	}
	return found
}

function lookUp(reference: string, root: unknown): unknown {
	if (reference === '#') return root
	if (!reference.startsWith('#/')) return null
	let found = root
	for (const part of reference.slice(2).split('/')) {
		const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
		if (!(isObject(found) || Array.isArray(found)) || !Object.hasOwn(found, name)) return null
		found = (found as Record<string, unknown>)[name]
	}
	return found
}

export function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : value === undefined ? [] : [value]
}
