import type { TimeRange } from '../../platform/time-range.ts'
import { actorOfCall, isNameless, parseDerivedSession, sessionGapMinutes } from '../../telemetry/index.ts'
import type { Source } from './counted-calls.ts'

const dayMs = 24 * 60 * 60 * 1000
const prefix = 'derived:'

export function isDerived(sessionId: string | undefined): boolean {
	return sessionId !== undefined && parseDerivedSession(sessionId) !== null
}

/** The range of a derived session, which ends with its day at the latest. Null for an id of another kind. */
export function rangeOfDerived(sessionId: string): TimeRange | null {
	const derived = parseDerivedSession(sessionId)
	return derived && { startMs: derived.startMs, endMs: derived.endMs }
}

/** The range that must be read so that the beginnings of sessions which are in progress at the start of a range are known. */
export function withBeginnings({ startMs, endMs }: TimeRange): TimeRange {
	return { startMs: dayOf(startMs), endMs }
}

const dayOf = (ms: number) => Math.floor(ms / dayMs) * dayMs

/** A condition on calls that began in the range, whose start `derivedParameters` provides. */
export const inDerivedRange = "started_at >= fromUnixTimestamp64Milli({derived_from:Int64}, 'UTC')"
export const derivedParameters = ({ startMs }: TimeRange) => ({ derived_from: startMs })

const inOrder = 'PARTITION BY actor, toDate(started_at) ORDER BY started_at, trace_id, span_id ROWS BETWEEN'

/**
 * A SELECT of the calls in the range for which `which` holds, from calls over `withBeginnings(range)`. Nameless calls get the id of a
 * derived session: the same caller at the same server without a pause, identified by the first call of the day.
 */
export function selectInSessions(from: string, which: string): string {
	const followed = `SELECT *, if(${isNameless}, ${actorOfCall}, 0) AS actor, lagInFrame(started_at) OVER (${inOrder} 1 PRECEDING AND CURRENT ROW) AS before ${from} WHERE ${which}`
	const begun = `SELECT *, max(if(started_at > before + INTERVAL ${sessionGapMinutes} MINUTE, toUnixTimestamp64Milli(started_at), 0)) OVER (${inOrder} UNBOUNDED PRECEDING AND CURRENT ROW) AS begun FROM (${followed})`
	const named = `if(actor = 0, session_id, concat('${prefix}', toString(begun), ':', hex(actor)))`
	return `SELECT * EXCEPT (actor, before, begun) REPLACE (${named} AS session_id) FROM (${begun}) WHERE ${inDerivedRange}`
}

/** The calls of a source over `withBeginnings(range)` that are in the range, all with a session. */
export function withDerivedSessions({ from, parameters }: Source, range: TimeRange): Source {
	// Only nameless calls must be sorted.
	return {
		from: `FROM (SELECT * ${from} WHERE ${inDerivedRange} AND NOT (${isNameless}) UNION ALL ${selectInSessions(from, isNameless)}) AS spans`,
		parameters: { ...parameters, ...derivedParameters(range) },
	}
}
