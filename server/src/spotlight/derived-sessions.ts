import type { TimeRange } from '../platform/time-range.ts'
import type { Source } from './call-source.ts'

const dayMs = 24 * 60 * 60 * 1000
/** A pause this long ends a session. */
const gapMinutes = 30
const prefix = 'derived:'

export function isDerived(sessionId: string | undefined): boolean {
	return /^derived:\d+:[0-9A-F]{1,16}$/.test(sessionId ?? '')
}

/** Where a derived session lies: it ends with its day at the latest. Null for an id of another kind. */
export function rangeOfDerived(sessionId: string): TimeRange | null {
	if (!isDerived(sessionId)) return null
	const startMs = Number(sessionId.split(':')[1])
	return { startMs, endMs: dayOf(startMs) + dayMs }
}

/** What has to be read, so that the sessions that go on at the start of a range are known by their beginnings. */
export function withBeginnings({ startMs, endMs }: TimeRange): TimeRange {
	return { startMs: dayOf(startMs), endMs }
}

const dayOf = (ms: number) => Math.floor(ms / dayMs) * dayMs

/** A tool call of a caller who named no session. */
export const isNameless =
	"session_id = '' AND kind = 'tool_call' AND (agent_id != '' OR client != '' OR user_id != '')"
/** What began in the range, whose start `derivedParameters` gives. */
export const inDerivedRange = "started_at >= fromUnixTimestamp64Milli({derived_from:Int64}, 'UTC')"
export const derivedParameters = ({ startMs }: TimeRange) => ({ derived_from: startMs })

const actor =
	"cityHash64(agent_id, client, user_id, if(server_id != '', server_id, concat('service:', service_name)))"
const inOrder = 'PARTITION BY actor, toDate(started_at) ORDER BY started_at, trace_id, span_id ROWS BETWEEN'

/**
 * SELECT of the nameless calls in the range, from calls over `withBeginnings(range)`: with the id of a derived session, which
 * is the same caller at the same server without a pause, named by its first call of the day.
 */
export function selectDerived(from: string): string {
	const followed = `SELECT *, ${actor} AS actor, lagInFrame(started_at) OVER (${inOrder} 1 PRECEDING AND CURRENT ROW) AS before ${from} WHERE ${isNameless}`
	const begun = `SELECT *, max(if(started_at > before + INTERVAL ${gapMinutes} MINUTE, toUnixTimestamp64Milli(started_at), 0)) OVER (${inOrder} UNBOUNDED PRECEDING AND CURRENT ROW) AS begun FROM (${followed})`
	return `SELECT * EXCEPT (actor, before, begun) REPLACE (concat('${prefix}', toString(begun), ':', hex(actor)) AS session_id) FROM (${begun}) WHERE ${inDerivedRange}`
}

/** The calls of a source over `withBeginnings(range)`, as far as they are in the range, all with a session. */
export function withDerivedSessions({ from, parameters }: Source, range: TimeRange): Source {
	return {
		from: `FROM (SELECT * ${from} WHERE ${inDerivedRange} AND NOT (${isNameless}) UNION ALL ${selectDerived(from)}) AS spans`,
		parameters: { ...parameters, ...derivedParameters(range) },
	}
}
