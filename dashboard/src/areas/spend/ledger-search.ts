import { pickText } from '../../lib/pick-text.ts'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'

export const ledgerFilters = ['agent_uuid', 'key_id', 'session_id', 'user_id', 'connection', 'model'] as const

/** The filters of the list, as in the URL. */
export interface LedgerSearch
	extends Partial<TimeRange>,
		Partial<Record<(typeof ledgerFilters)[number], string>> {}

export function parseLedgerSearch(search: Record<string, unknown>): LedgerSearch {
	const range = parseRange(search)
	return { ...(range.start !== defaultRange.start && range), ...pickText(search, ledgerFilters) }
}
