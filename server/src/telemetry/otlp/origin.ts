import { newHotValues } from '../normalise/hot-keys.ts'
import { mappedKeys, type ResourceFacts, readResource } from '../normalise/map-attributes.ts'
import type { Attributes, AttributeValue } from '../span-row.ts'

/** What the spans of one scope of one resource have in common. */
export interface Origin {
	facts: ResourceFacts
	resource: Attributes
	scopeName: string
	scopeVersion: string
	resourceSchemaUrl: string
	scopeSchemaUrl: string
}

export interface Scope {
	name: string
	version: string
	attributes: [string, AttributeValue][]
}

export const noScope: Scope = { name: '', version: '', attributes: [] }

/** Attributes of the scope have no column of their own; they are kept beside those of the resource under this prefix. */
export const scopePrefix = 'otel.scope.'

export function newOrigin(
	resource: [string, AttributeValue][],
	resourceSchemaUrl: string,
	scope: Scope,
	scopeSchemaUrl: string,
): Origin {
	const attributes = new Map(resource)
	const hot = newHotValues()
	for (const [key, value] of attributes) {
		const number = mappedKeys.get(key)
		if (number !== undefined) hot[number] = value
	}
	for (const [key, value] of scope.attributes) attributes.set(scopePrefix + key, value)
	return {
		facts: readResource(hot),
		resource: attributes,
		scopeName: scope.name,
		scopeVersion: scope.version,
		resourceSchemaUrl,
		scopeSchemaUrl,
	}
}
