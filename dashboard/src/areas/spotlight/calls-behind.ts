import { defaultRange, type TimeRange } from '../../lib/time-range.ts'
import type { CallFilter } from './breakdowns.ts'

/** Where the calls behind figures are: the same conditions in the words of the list of calls. */
export function callsBehind(
	{ agent, server, user, session, ...same }: CallFilter,
	range: TimeRange,
	only: 'all' | 'failed' = 'all',
) {
	return {
		...(range.start !== defaultRange.start && range),
		view: 'calls' as const,
		calls: only,
		...same,
		...(agent && { agent_uuid: agent }),
		...(server && { server_id: server }),
		...(user && { user_id: user }),
		...(session && { session_id: session }),
	}
}
