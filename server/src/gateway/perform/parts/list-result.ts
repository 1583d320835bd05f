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

/**
 * A page of a list: entries in the order of slugs and of each server's own list, so that a page begins where the last one
 * ended although others come and go. `missing` are the servers that did not tell theirs.
 */
export function listResult(
	gateway: Gateway,
	operation: Operation,
	field: string,
	entries: readonly Entry[],
	missing: readonly ServerEntry[],
): PlanResult {
	const after = gateway.cursors.read(operation)
	const rest = after ? entries.filter((entry) => isAfter(entry, after)) : entries
	const page = rest.slice(0, gateway.limits.pageItems)
	const last = rest.length > page.length ? page.at(-1) : undefined
	const parts = [
		`"${field}":[${page.map(({ json }) => json).join(',')}]`,
		...(last ? [`"nextCursor":${JSON.stringify(gateway.cursors.write(operation, last))}`] : []),
		...(missing.length > 0 ? [`"_meta":${JSON.stringify({ [unavailableKey]: missing.map(state) })}`] : []),
		// A list filtered by grants is nobody else's, and may change at any moment.
		...(operation.client.era === 'modern'
			? ['"resultType":"complete","ttlMs":0,"cacheScope":"private"']
			: []),
	]
	return { json: `{${parts.join(',')}}`, isError: false }
}

function isAfter(entry: Position, after: Position): boolean {
	return entry.slug === after.slug ? entry.at > after.at : entry.slug > after.slug
}

function state({ slug, healthStatus }: ServerEntry) {
	return { server: slug, health: healthStatus }
}
