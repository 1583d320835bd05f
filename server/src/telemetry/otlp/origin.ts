import { hotValuesOf, type Mapped, type ResourceFacts, readResource } from '../normalise/map-attributes.ts'
import { originText } from '../span-columns.ts'
import type { Attributes, AttributeValue } from '../span-row.ts'
import type { WireReader } from './wire-reader.ts'

/** What the spans of one scope of one resource share. */
export interface Origin {
	facts: ResourceFacts
	/** The mapping for its spans whose attributes say nothing about their subject. */
	plain?: Mapped
	serviceName: string
	resource: Attributes
	scopeName: string
	scopeVersion: string
	resourceSchemaUrl: string
	scopeSchemaUrl: string
	/** The column `origin` of its spans. */
	text: string
}

/** A record's origin columns, as the store returns them. */
export interface StoredOrigin {
	service_name: string
	resource: Record<string, string>
	resource_types: Record<string, string>
	resource_dropped_attributes: number
	resource_schema_url: string
	scope_name: string
	scope_version: string
	scope_attributes: Record<string, string>
	scope_attribute_types: Record<string, string>
	scope_dropped_attributes: number
	scope_schema_url: string
}

export interface Scope {
	name: string
	version: string
	attributes: [string, AttributeValue][]
	/** Number of attributes that were dropped before sending. */
	dropped: number
}

export interface Sender {
	attributes: [string, AttributeValue][]
	dropped: number
}

export const noScope: Scope = { name: '', version: '', attributes: [], dropped: 0 }
export const noSender: Sender = { attributes: [], dropped: 0 }

/** Attributes of the scope have no column; they are stored with those of the resource under this prefix. */
export const scopePrefix = 'otel.scope.'
/** Likewise the numbers of attributes of a resource and of a scope that were dropped before sending. */
export const droppedKeys = {
	resource: 'otel.resource.dropped_attributes_count',
	scope: `${scopePrefix}dropped_attributes_count`,
} as const

export function newOrigin(
	resource: Sender,
	resourceSchemaUrl: string,
	scope: Scope,
	scopeSchemaUrl: string,
): Origin {
	const attributes = new Map(resource.attributes)
	const facts = readResource(hotValuesOf(attributes), scope.name)
	for (const [key, value] of scope.attributes) attributes.set(scopePrefix + key, value)
	if (resource.dropped > 0) attributes.set(droppedKeys.resource, BigInt(resource.dropped))
	if (scope.dropped > 0) attributes.set(droppedKeys.scope, BigInt(scope.dropped))
	return {
		facts,
		serviceName: facts.serviceName,
		resource: attributes,
		scopeName: scope.name,
		scopeVersion: scope.version,
		resourceSchemaUrl,
		scopeSchemaUrl,
		text: originText({ resource: attributes, resourceSchemaUrl, scopeSchemaUrl }),
	}
}

/** An exporter sends the same resource and scopes with every body. Larger ones are not remembered. */
const maxRemembered = 64
const maxRememberedBytes = 4096

/** Lets `read` read only what it has not read before; anything else is recognised by its bytes. */
export function remembered<T extends object>(read: (r: WireReader) => T): (r: WireReader) => T {
	const known = new Map<string, T>()
	return (r) => {
		if (r.end - r.position > maxRememberedBytes) return read(r)
		const bytes = r.bytes.toString('latin1', r.position, r.end)
		let found = known.get(bytes)
		if (found === undefined) {
			found = read(r)
			if (known.size >= maxRemembered) known.clear()
			known.set(bytes, found)
		}
		return found
	}
}

const origins = new WeakMap<Sender, WeakMap<Scope, Origin>>()

/** The origin for what a sender and a scope say, if no rule of the workspace concerns that. The same objects have the same origin. */
export function originOf(
	resource: Sender,
	resourceSchemaUrl: string,
	scope: Scope,
	scopeSchemaUrl: string,
): Origin {
	let ofScopes = origins.get(resource)
	if (!ofScopes) {
		ofScopes = new WeakMap()
		origins.set(resource, ofScopes)
	}
	let origin = ofScopes.get(scope)
	if (origin?.resourceSchemaUrl !== resourceSchemaUrl || origin.scopeSchemaUrl !== scopeSchemaUrl) {
		origin = newOrigin(resource, resourceSchemaUrl, scope, scopeSchemaUrl)
		ofScopes.set(scope, origin)
	}
	return origin
}
