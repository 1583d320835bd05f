import { isObject, type JsonObject } from '../../mcp-client/index.ts'
import { fitItem } from '../protocol/fit-items.ts'

/** What a server lists beside its tools. */
export type ListingKind = 'prompts' | 'resources' | 'templates'

export interface ListingTerms {
	method: string
	/** Where the items stand in a result. */
	field: string
	/** What tells an item from another. */
	key: string
}

export const listings: Readonly<Record<ListingKind, ListingTerms>> = {
	prompts: { method: 'prompts/list', field: 'prompts', key: 'name' },
	resources: { method: 'resources/list', field: 'resources', key: 'uri' },
	templates: { method: 'resources/templates/list', field: 'resourceTemplates', key: 'uriTemplate' },
}

export interface ListedItem {
	/** Name, URI or URI template. */
	key: string
	/** As the server sent it, with every field that clients can read. */
	item: JsonObject
}

/** What one server listed: its items in its order, without those that have no key, and those that come again. */
export interface Listing {
	items: readonly ListedItem[]
	/** How long it holds, as the server says; null when it does not. */
	ttlMs: number | null
}

/** The items of one page of a list, as every client can read them. */
export function itemsIn(kind: ListingKind, result: JsonObject): ListedItem[] {
	const { field, key } = listings[kind]
	const items = Array.isArray(result[field]) ? (result[field] as unknown[]) : []
	return items.filter(isObject).flatMap((item) => {
		const own = item[key]
		if (typeof own !== 'string' || own === '') return []
		const named = typeof item.name === 'string' ? item : { ...item, name: own }
		return [{ key: own, item: fitItem(kind, named) }]
	})
}

export function withoutRepeats(items: readonly ListedItem[]): ListedItem[] {
	const seen = new Set<string>()
	return items.filter(({ key }) => !seen.has(key) && seen.add(key))
}
