import { defaultRange, type TimeRange } from '../../lib/time-range.ts'
import type { CallFilter } from './breakdowns.ts'

/** A link to the calls behind figures, one row for each that is counted, with the same conditions in the list of calls. */
export function linkToCalls(
	{ agent, server, user, session, resource, prompt, filter = [], ...same }: CallFilter,
	range: TimeRange,
	only: 'all' | 'failed' = 'all',
) {
	const of = [resource && `resource=${resource}`, prompt && `prompt=${prompt}`].filter(
		(one) => one !== undefined,
	)
	const conditions = [...filter, ...of]
	return {
		...(range.start !== defaultRange.start && range),
		view: 'calls' as const,
		calls: only === 'failed' ? ('counted_failed' as const) : ('counted' as const),
		...same,
		...(of.length > 0 && { kind: same.kind ?? ('mcp' as const) }),
		...(conditions.length > 0 && { filter: conditions }),
		...(agent && { agent_uuid: agent }),
		...(server && { server_id: server }),
		...(user && { user_id: user }),
		...(session && { session_id: session }),
	}
}
