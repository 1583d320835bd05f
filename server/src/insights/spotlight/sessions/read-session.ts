import { type OutputOf, type QueryOf, spotlightSessionOperations } from '@signalbox/contract'
import { presentMoney } from '../../../ledger/ledger.ts'
import { toIso } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import { notFound } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { readPathText } from '../../../platform/http/paths.ts'
import { principalIn } from '../../../platform/http/route.ts'
import { openPlace, sealPlace, storedExceptionMessage } from '../../../telemetry/index.ts'
import { presentFigures } from '../breakdowns.ts'
import { countVisitors, sumCalls } from '../call-sums-repository.ts'
import { isDerived } from '../derived-sessions.ts'
import { keyOfSpan, mayReadMessages, readMessages, type SessionMessages } from './read-messages.ts'
import {
	type CallPlace,
	findHandling,
	findSession,
	findSessionCalls,
	type SessionStores,
	type StoredCall,
	type StoredHandling,
} from './session-repository.ts'

type Call = OutputOf<(typeof spotlightSessionOperations)['session']>['calls'][number]

/** A call in the form of the timeline. */
function presentCall(
	call: StoredCall,
	messages: SessionMessages | null,
	way: StoredHandling | undefined,
): Call {
	const isModel = call.kind === 'model_call'
	return {
		trace_id: call.trace,
		span_id: call.span,
		turn: Number(call.turn),
		kind: call.kind,
		started_at: toIso(Number(BigInt(call.start_ns) / 1_000_000n)),
		duration_ms: call.status === 'interrupted' ? null : Number(call.duration) / 1e6,
		gap_ms: call.gap_ns === null ? null : Number(call.gap_ns) / 1e6,
		status: call.status,
		error_type: call.error_type || null,
		status_message: call.status_message || storedExceptionMessage(way?.exceptions ?? ''),
		server: {
			id: call.server_id || null,
			name: call.server_name || (isModel ? null : call.service_name || null),
		},
		tool: call.tool_name || null,
		provider: call.provider || null,
		model: call.served_model || null,
		tokens: isModel ? tokensOf(call) : null,
		...presentMoney('cost', call.cost),
		...presentMoney('cost_so_far', call.so_far),
		messages,
		...presentWay(way),
	}
}

function tokensOf(call: StoredCall): Call['tokens'] {
	return {
		input: Number(call.input_tokens),
		cache_read: Number(call.cache_read_tokens),
		cache_write: Number(call.cache_write_tokens),
		output: Number(call.output_tokens),
		reasoning: Number(call.reasoning_tokens),
	}
}

function presentWay(
	way: StoredHandling | undefined,
): Pick<Call, 'time_to_first_token_ms' | 'approval' | 'attempts'> {
	if (!way) return { time_to_first_token_ms: null, approval: null, attempts: [] }
	return {
		time_to_first_token_ms: way.first_token_ns === null ? null : Number(way.first_token_ns) / 1e6,
		approval: way.decision
			? { id: way.approval || null, decision: way.decision, waited_ms: Number(way.waited_ms) || 0 }
			: null,
		attempts: attemptsOf(way.attempts),
	}
}

type Attempt = Call['attempts'][number]

/** In the form that the model proxy writes; other values of that attribute are ignored. */
function attemptsOf(text: string): Attempt[] {
	if (text === '') return []
	try {
		const found: unknown = JSON.parse(text)
		return Array.isArray(found) ? found.map(presentAttempt) : []
	} catch {
		return []
	}
}

function presentAttempt(attempt: Partial<Record<keyof Attempt, unknown>> | null): Attempt {
	const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
	return {
		connection: text(attempt?.connection) ?? '',
		model: text(attempt?.model),
		error_type: text(attempt?.error_type),
		duration_ms: Number(attempt?.duration_ms) || 0,
	}
}

type Operation = (typeof spotlightSessionOperations)['session']
type Session = OutputOf<Operation>

export interface SessionReads extends SessionStores {
	sealer: Sealer
	/** Answers queries that equal a running one with its answer. */
	joinEqual: JoinEqual
}

type JoinEqual = <Answer>(
	asked: { workspaceId: string; read: string; query: object },
	answer: () => Promise<Answer>,
) => Promise<Answer>

/** What of its conversation is shown, and why not more. */
type ConversationAccess = 'allowed' | 'not_allowed' | 'not_shared'

/**
 * A session with a page of its currently counted calls. Throws `not_found` for a session of which nothing is recorded. Many people open
 * a session or a link to it at once, when somebody has just sent it to them: the engine reads it once for all of them.
 */
export function readSession(
	reads: SessionReads,
	workspaceId: string,
	sessionId: string,
	{ limit, cursor }: QueryOf<Operation>,
	access: ConversationAccess,
): Promise<Session> {
	const query = { sessionId, limit, cursor, access }
	return reads.joinEqual({ workspaceId, read: 'session', query }, () => readPage(reads, workspaceId, query))
}

interface WantedPage {
	sessionId: string
	limit: number
	cursor: string | undefined
	access: ConversationAccess
}

async function readPage(
	{ telemetry, newest, sealer }: SessionReads,
	workspaceId: string,
	{ sessionId, limit, cursor, access }: WantedPage,
): Promise<Session> {
	const list = { workspaceId, kind: 'session_cursor' }
	const after = cursor === undefined ? null : openPlace<CallPlace>(sealer, list, cursor)
	const session = await findSession({ telemetry, newest }, workspaceId, sessionId)
	if (!session) throw notFound('session')
	const { range } = session
	const filter = { session: sessionId }
	const [sums, visitors, found] = await Promise.all([
		sumCalls(telemetry, workspaceId, range, filter),
		countVisitors(telemetry, workspaceId, range, filter),
		findSessionCalls(telemetry, workspaceId, { sessionId, range, after, limit: limit + 1 }),
	])
	const [lastWanted, next] = [found[limit - 1], found[limit]]
	const shown = lastWanted && next && isSamePlace(lastWanted, next) ? found : found.slice(0, limit)
	const [messages, ways] = await Promise.all([
		access === 'allowed' ? readMessages(telemetry, workspaceId, sessionId, shown) : new Map(),
		findHandling(telemetry, workspaceId, shown),
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

const isSamePlace = (a: StoredCall, b: StoredCall) =>
	a.start_ns === b.start_ns && a.trace === b.trace && a.span === b.span

function conversationOf(access: ConversationAccess, recorded: number): Session['conversation'] {
	if (access !== 'allowed') return access
	return recorded > 0 ? 'recorded' : 'not_recorded'
}

/** Opens the operation that returns a session with its calls. */
export function openSessions(dependencies: SessionReads): BoundOperation[] {
	return bind(spotlightSessionOperations, {
		session: ({ params, query, context }) => {
			const principal = principalIn(context)
			const access = mayReadMessages(principal) ? 'allowed' : 'not_allowed'
			return readSession(dependencies, principal.workspaceId, readPathText(params.id), query, access)
		},
	})
}
