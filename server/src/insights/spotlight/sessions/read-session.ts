import type { OutputOf, QueryOf, spotlightSessionOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { notFound } from '../../../platform/errors.ts'
import { openPlace, sealPlace } from '../../../telemetry/index.ts'
import { isDerived } from '../derived-sessions.ts'
import { presentFigures } from '../figures.ts'
import { countVisitors, type QueryStore, sumCalls } from '../repository.ts'
import { presentCall } from './present-call.ts'
import { keyOfSpan, readMessages } from './read-messages.ts'
import { type CallPlace, findSession, findSessionCalls, findWays, type StoredCall } from './repository.ts'

type Operation = (typeof spotlightSessionOperations)['session']
type Session = OutputOf<Operation>

export interface SessionReads {
	telemetry: QueryStore
	sealer: Sealer
}

/** What is shown of its conversation, and why not more. */
export type ConversationAccess = 'allowed' | 'not_allowed' | 'not_shared'

/** A session with a page of its calls. Throws `not_found` for one of which nothing is stored. */
export async function readSession(
	{ telemetry, sealer }: SessionReads,
	workspaceId: string,
	sessionId: string,
	{ limit, cursor }: QueryOf<Operation>,
	access: ConversationAccess,
): Promise<Session> {
	const list = { workspaceId, kind: 'session_cursor' }
	const after = cursor === undefined ? null : openPlace<CallPlace>(sealer, list, cursor)
	const session = await findSession(telemetry, workspaceId, sessionId)
	if (!session) throw notFound('session')
	const { range } = session
	const filter = { session: sessionId }
	const [sums, visitors, found] = await Promise.all([
		sumCalls(telemetry, workspaceId, range, filter),
		countVisitors(telemetry, workspaceId, range, filter),
		findSessionCalls(telemetry, workspaceId, { sessionId, range, after, limit: limit + 1 }),
	])
	const shown = found.slice(0, limit)
	const [messages, ways] = await Promise.all([
		access === 'allowed' ? readMessages(telemetry, workspaceId, sessionId, shown) : new Map(),
		findWays(telemetry, workspaceId, shown),
	])
	const wayByCall = new Map(ways.map((way) => [keyOfSpan(way.trace, way.span), way]))
	const last = found.length > limit ? shown.at(-1) : undefined
	return {
		session_id: sessionId,
		is_derived: isDerived(sessionId),
		agent: { id: session.agentId || null, name: session.agentName || null },
		user_id: session.userId || null,
		client: session.client || null,
		started_at: toIso(Number(session.startNs / 1_000_000n)),
		ended_at: toIso(Number(session.endNs / 1_000_000n)),
		...presentFigures(sums, visitors),
		conversation: conversationOf(access, messages.size),
		calls: shown.map((call) => {
			const key = keyOfSpan(call.trace, call.span)
			return presentCall(call, messages.get(key) ?? null, wayByCall.get(key))
		}),
		next_cursor: last ? sealPlace(sealer, list, placeOf(last)) : null,
	}
}

const placeOf = ({ start_ns, trace, span }: StoredCall): CallPlace => ({
	startNs: start_ns,
	traceId: trace,
	spanId: span,
})

function conversationOf(access: ConversationAccess, recorded: number): Session['conversation'] {
	if (access !== 'allowed') return access
	return recorded > 0 ? 'recorded' : 'not_recorded'
}

/** A session's id from a path, which cannot carry slashes: `~` and base64url stand for any text. */
export function readSessionId(text: string): string {
	return text.startsWith('~') ? Buffer.from(text.slice(1), 'base64url').toString('utf8') : text
}
