import { Problem } from '../../platform/errors.ts'
import { readTimeRange } from '../../platform/time-range.ts'
import type { AuditFilter } from './audit-repository.ts'

/** What the list and the export take alike. */
export interface AuditQuery {
	actor?: string
	action?: string
	target?: string
	start?: string
	end?: string
}

/** The query as the store understands it; without `start` and `end` all of time. Throws `invalid_request`. */
export function readFilter({ actor, action, target, start, end }: AuditQuery, nowMs: number): AuditFilter {
	if (action !== undefined && !/^[a-z-]+(\.([a-z_-]+|\*))?$/.test(action))
		throw new Problem('invalid_request', 'action: is neither area.verb nor area.*.', {
			errors: [{ pointer: '/action', code: 'action', detail: 'is neither area.verb nor area.*' }],
		})
	const filter: AuditFilter = { actor, action, target }
	if (start === undefined && end === undefined) return filter
	const range = readTimeRange(
		{ start: start ?? '1970-01-01T00:00:00Z', ...(end !== undefined && { end }) },
		nowMs,
	)
	return { ...filter, startMs: range.startMs, ...(end !== undefined && { endMs: range.endMs }) }
}
