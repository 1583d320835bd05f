import type { ServerEntry } from '../../../servers/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { Operation } from '../../operation.ts'
import type { PlanResult } from '../plan.ts'
import type { Position } from './cursors.ts'

/** One item of a list that may span servers. */
export interface Entry extends Position {
	json: string
}

/** Where a list names the servers that it lacks. */
const unavailableKey = 'signalbox/unavailable_servers'

/** A list in the order of slugs and of each server's own, so that a page begins where the last one ended although others come and go. */
export interface WholeList {
	entries: readonly Entry[]
	/** Servers that did not tell theirs. */
	missing: readonly ServerEntry[]
	/** The items of pages that were written already, by where they begin. */
	written?: Map<number, string>
}

/** A page of a list, from the cursor of the operation on. */
export function listResult(
	gateway: Gateway,
	operation: Operation,
	field: string,
	list: WholeList,
): PlanResult {
	const { entries, missing } = list
	const after = gateway.cursors.read(operation)
	const first = after ? placeAfter(entries, after) : 0
	const end = Math.min(first + gateway.limits.pageItems, entries.length)
	const last = end < entries.length ? entries[end - 1] : undefined
	const more = [
		...(last ? [`,"nextCursor":${JSON.stringify(gateway.cursors.write(operation, last))}`] : []),
		...(missing.length > 0
			? [
					`,"_meta":${JSON.stringify({ [unavailableKey]: missing.map((server) => state(gateway, operation, server)) })}`,
				]
			: []),
		// A list filtered by grants is nobody else's, and may change at any moment.
		...(operation.client.era === 'modern'
			? [',"resultType":"complete","ttlMs":0,"cacheScope":"private"']
			: []),
	]
	// The items are not joined with the rest: they may be long, and each joining would copy them.
	return { json: `{"${field}":[${itemsOf(list, first, end)}]${more.join('')}}`, isError: false }
}

function itemsOf({ entries, written }: WholeList, first: number, end: number): string {
	const known = written?.get(first)
	if (known !== undefined) return known
	const items = entries.slice(first, end).map(({ json }) => json)
	const text = items.join(',')
	written?.set(first, text)
	return text
}

function placeAfter(entries: readonly Entry[], after: Position): number {
	const place = entries.findIndex((entry) => isAfter(entry, after))
	return place < 0 ? entries.length : place
}

function isAfter(entry: Position, after: Position): boolean {
	return entry.slug === after.slug ? entry.at > after.at : entry.slug > after.slug
}

/** Why a server is missing, where this caller can mend it. */
function state(gateway: Gateway, { caller }: Operation, server: ServerEntry) {
	const consent = gateway.upstreams.missingConsent(server, caller)
	const facts = consent && { ...(consent.data as object), reason: consent.message }
	return { ...facts, server: server.slug, health: server.healthStatus }
}
