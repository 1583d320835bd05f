import { type SpanStatus, spanStatuses } from '@signalbox/contract/span-status'
import { oneOf, pickText } from '../../lib/pick-text.ts'
import { parseTableView, type TableView } from '../../lib/table-view.ts'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'
import type { Named } from '../spotlight/conditions.ts'
import { parseAttributes, parseFilter } from './attribute-search.ts'
import { kinds } from './live-filter.ts'

/** Conditions on text that are shown as chips. Those on kind, outcome and attributes have separate controls. */
export const textConditions = [
	'agent_uuid',
	'server_id',
	'credential_id',
	'tool',
	'session_id',
	'user_id',
	'service',
	'provider',
	'model',
	'connection',
	'client',
	'error_type',
] as const

export const callChoices = ['counted', 'counted_failed', 'all', 'failed'] as const

/** The filters of the list of calls or traces, as in the URL. */
export interface ExplorerSearch
	extends Partial<TimeRange>,
		TableView,
		Partial<Record<(typeof textConditions)[number], string>> {
	/** One row per span instead of one per trace. */
	view?: 'calls'
	calls?: (typeof callChoices)[number]
	kind?: (typeof kinds)[number]
	status?: SpanStatus
	attribute?: string[]
	/** Conditions on fields and attributes, as in Spotlight. */
	filter?: string[]
}

export function parseExplorerSearch(search: Record<string, unknown>): ExplorerSearch {
	const calls = oneOf(callChoices, search.calls)
	const kind = oneOf(kinds, search.kind)
	const status = oneOf(spanStatuses, search.status)
	const range = parseRange(search)
	return {
		...(search.view === 'calls' && { view: 'calls' as const }),
		...(range.start !== defaultRange.start && range),
		...(calls && { calls }),
		...(kind && { kind }),
		...(status && { status }),
		...pickText(search, textConditions),
		...parseAttributes(search.attribute),
		...parseFilter(search.filter),
		...parseTableView(search),
	}
}

/** The field in conditions for each text parameter of this search. */
export const explorerNames: Named = {
	...{
		agent_uuid: 'agent',
		server_id: 'server',
		credential_id: 'key',
		user_id: 'user',
		session_id: 'session',
	},
	...{ tool: 'tool', service: 'service', provider: 'provider', model: 'model', connection: 'connection' },
	...{ client: 'client', error_type: 'error_type', status: 'status' },
}

/** The search in the form of the API. */
export function explorerQuery({
	view: _,
	columns: _columns,
	sort: _sort,
	density: _density,
	...filter
}: ExplorerSearch) {
	return { ...defaultRange, ...filter }
}
