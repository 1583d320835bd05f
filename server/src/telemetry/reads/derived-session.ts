import type { Conditions } from './attribute-conditions.ts'

const dayMs = 24 * 60 * 60 * 1000

/** A pause this long ends a session of calls whose caller sent no session id. */
export const sessionGapMinutes = 30
/** A tool call of a caller who sent no session id. */
export const isNameless =
	"session_id = '' AND kind = 'tool_call' AND (agent_id != '' OR client != '' OR user_id != '')"
/** A server that is not registered is identified by the name in its spans, or by their service name. */
const seenServer = "if(server_name != '', server_name, service_name)"
/** Caller and server, which the calls of a derived session have in common. */
export const actorOfCall = `cityHash64(agent_id, client, user_id, if(server_id != '', server_id, concat('service:', ${seenServer})))`

export interface DerivedSession {
	/** Start of its first call, which identifies it together with the actor. */
	startMs: number
	/** The end of its day, at which it ends at the latest. */
	endMs: number
	/** In upper-case hex digits. */
	actor: string
}

/** Null for an id of another kind. */
export function parseDerivedSession(sessionId: string): DerivedSession | null {
	const [, start, actor] = /^derived:(\d{1,15}):([0-9A-F]{1,16})$/.exec(sessionId) ?? []
	if (start === undefined || actor === undefined) return null
	const startMs = Number(start)
	return { startMs, endMs: Math.floor(startMs / dayMs) * dayMs + dayMs, actor }
}

/**
 * A condition on `spans` for the calls of a session, including derived ones: from the first call to the first pause. Needs the
 * parameter `workspace`.
 */
export function sessionCondition(sessionId: string): Conditions {
	const derived = parseDerivedSession(sessionId)
	if (!derived) return { sql: 'session_id = {session_id:String}', parameters: { session_id: sessionId } }
	const calls = `${isNameless} AND hex(${actorOfCall}) = {derived_actor:String}
		AND started_at >= fromUnixTimestamp64Milli({derived_start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({derived_end:Int64}, 'UTC')`
	const followed = `SELECT started_at, lagInFrame(started_at, 1, started_at) OVER (ORDER BY started_at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before
		FROM spans WHERE workspace_id = {workspace:String} AND ${calls}`
	const ended = `SELECT min(if(started_at > before + INTERVAL ${sessionGapMinutes} MINUTE, started_at, fromUnixTimestamp64Milli({derived_end:Int64}, 'UTC'))) FROM (${followed})`
	return {
		sql: `(${calls} AND started_at < (${ended}))`,
		parameters: {
			derived_actor: derived.actor,
			derived_start: derived.startMs,
			derived_end: derived.endMs,
		},
	}
}
