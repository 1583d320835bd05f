import type { TimeRange } from '../../../platform/time-range.ts'
import { callJoins, exceptionsWithoutMessage, readStore } from '../../../telemetry/index.ts'
import { sourceFor } from '../call-sums-repository.ts'
import type { QueryStore, Source } from '../counted-calls.ts'
import { isDerived, rangeOfDerived } from '../derived-sessions.ts'

/** When a session took place, and its last known names. */
interface SessionExtent {
	range: TimeRange
	startNs: bigint
	endNs: bigint
	agentId: string
	agentName: string
	userId: string
	client: string
}

interface StoredCaller {
	agent: string
	agent_label: string
	user: string
	program: string
	end_ns: string
}

interface StoredExtent extends StoredCaller {
	spans: string
	first_ns: string
}

const lastOf = (column: string) => `argMaxIf(${column}, started_at, ${column} != '')`
const who = `${lastOf('agent_id')} AS agent, ${lastOf('agent_name')} AS agent_label, ${lastOf('user_id')} AS user, ${lastOf('client')} AS program,
	toString(max(toUnixTimestamp64Nano(started_at) + toInt64(duration_ns))) AS end_ns`

export interface SessionStores {
	telemetry: QueryStore
	/** The same including acknowledged rows that are not stored yet; absent if there are none. */
	newest?: QueryStore | undefined
}

/**
 * Null for a session of which nothing is recorded. Rows that are not stored yet are read only if nothing is stored: all pending rows
 * must then be read, since a session may be in any trace.
 */
export async function findSession(
	{ telemetry, newest }: SessionStores,
	workspaceId: string,
	sessionId: string,
): Promise<SessionExtent | null> {
	const stored = await findIn(telemetry, telemetry, workspaceId, sessionId)
	// Ids of derived sessions are computed from stored calls.
	if (stored || !newest || isDerived(sessionId)) return stored
	return findIn(newest, telemetry, workspaceId, sessionId)
}

/** `spans` is the source of its spans, `store` that of its counted calls. */
async function findIn(
	spans: QueryStore,
	store: QueryStore,
	workspaceId: string,
	sessionId: string,
): Promise<SessionExtent | null> {
	const range = rangeOfDerived(sessionId)
	const source = range
		? await sourceOf(store, workspaceId, range, sessionId)
		: { from: 'FROM spans', parameters: {} }
	const ofSession = `WHERE workspace_id = {workspace:String} AND session_id = {session:String}`
	const [found] = await readStore(() =>
		spans.query<StoredExtent>(
			`SELECT count() AS spans, toString(toUnixTimestamp64Nano(min(started_at))) AS first_ns, ${who} ${source.from} ${ofSession}`,
			{ ...source.parameters, workspace: workspaceId, session: sessionId },
		),
	)
	if (!found || found.spans === '0') return null
	const startNs = BigInt(found.first_ns)
	const reached = range ?? (await rangeOfSession(spans, store, workspaceId, sessionId))
	const calls = range ? source : await sourceOf(store, workspaceId, reached, sessionId)
	// Calls that have their session from elsewhere may end later than everything that names it.
	const [caller] = await readStore(() =>
		store.query<StoredCaller>(`SELECT ${who} ${calls.from} ${ofSession}`, {
			...calls.parameters,
			workspace: workspaceId,
			session: sessionId,
		}),
	)
	return {
		range: reached,
		startNs,
		endNs: [BigInt(found.end_ns), BigInt(caller?.end_ns ?? 0)].reduce((a, b) => (a > b ? a : b)),
		agentId: found.agent || (caller?.agent ?? ''),
		agentName: found.agent_label || (caller?.agent_label ?? ''),
		userId: found.user || (caller?.user ?? ''),
		client: found.program || (caller?.program ?? ''),
	}
}

/**
 * The range of the traces in which a session is named, because its calls may inherit their session from a span above them, and of the
 * calls that have it from another trace: from another view, or from the model call that requested them.
 */
async function rangeOfSession(
	spans: QueryStore,
	store: QueryStore,
	workspaceId: string,
	sessionId: string,
): Promise<TimeRange> {
	const asked = { workspace: workspaceId, session: sessionId }
	const [named] = await readStore(() =>
		spans.query<StoredRange>(
			`SELECT ${firstAndLast} FROM spans WHERE workspace_id = {workspace:String}
				AND trace_id IN (SELECT trace_id FROM spans WHERE workspace_id = {workspace:String} AND session_id = {session:String})`,
			asked,
		),
	)
	const range = { startMs: Number(named?.first_ms), endMs: Number(named?.last_ms) + 1 }
	const [joined] = await readStore(() =>
		store.query<StoredRange>(
			`SELECT ${firstAndLast} FROM ${callJoins} WHERE workspace_id = {workspace:String} AND session_id = {session:String}
				AND hour >= toDateTime(intDiv({first:Int64}, 1000), 'UTC') AND hour < toDateTime(intDiv({last:Int64}, 1000), 'UTC')`,
			{ ...asked, first: Math.max(0, range.startMs - 2 * reachMs), last: range.endMs + reachMs },
		),
	)
	if (!joined || joined.found === '0') return range
	return {
		startMs: Math.min(range.startMs, Number(joined.first_ms)),
		endMs: Math.max(range.endMs, Number(joined.last_ms) + 1),
	}
}

interface StoredRange {
	found: string
	first_ms: string
	last_ms: string
}
const firstAndLast = `toString(count()) AS found, toString(toUnixTimestamp64Milli(min(started_at))) AS first_ms, toString(toUnixTimestamp64Milli(max(started_at))) AS last_ms`
/** A tool call takes its session from a model call of the hour before; views of one call are nearer. */
const reachMs = 3_600_000

/** The counted calls of a range, including those of the session. */
function sourceOf(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	sessionId: string,
): Promise<Source> {
	return sourceFor(store, workspaceId, range, { spans: false, sessions: isDerived(sessionId) })
}

/** A position in the timeline. */
export interface CallPlace {
	startNs: string
	traceId: string
	spanId: string
}

/** A counted call of a session as the store returns it: 64-bit numbers are text. */
export interface StoredCall {
	trace: string
	span: string
	start_ns: string
	duration: string
	gap_ns: string | null
	turn: string
	so_far: string
	kind: 'tool_call' | 'model_call'
	status: string
	status_message: string
	error_type: string
	server_id: string
	server_name: string
	service_name: string
	tool_name: string
	provider: string
	served_model: string
	input_tokens: string
	cache_read_tokens: string
	cache_write_tokens: string
	output_tokens: string
	reasoning_tokens: string
	cost: string | null
}

const startNs = 'toUnixTimestamp64Nano(started_at)'
const place = '(start_at, trace, span)'
const upToNow = 'OVER (ORDER BY start_at, trace, span ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)'
const before = 'OVER (ORDER BY start_at, trace, span ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)'

/** Running totals from the beginning of the session, so that a page shows the same as the whole. */
const running = `toString(countIf(kind = 'model_call') ${upToNow}) AS turn, toString(sum(ifNull(cost_nano, 0)) ${upToNow}) AS so_far,
	if(count() ${before} = 0, NULL, toString(greatest(0, start_at - max(start_at + toInt64(duration_ns)) ${before}))) AS gap_ns`

/**
 * The counted calls of a session after a position, oldest first: at least `limit` if there are that many, together with all that share
 * the place of the last one (a span that was sent again in another body), so that no page begins among them.
 */
export async function findSessionCalls(
	store: QueryStore,
	workspaceId: string,
	wanted: { sessionId: string; range: TimeRange; after: CallPlace | null; limit: number },
): Promise<StoredCall[]> {
	const { sessionId, range, after, limit } = wanted
	const source = await sourceOf(store, workspaceId, range, sessionId)
	return readStore(() =>
		store.query<StoredCall>(
			`SELECT * EXCEPT (start_at, duration_ns, cost_nano), toString(start_at) AS start_ns, toString(duration_ns) AS duration, toString(cost_nano) AS cost
			FROM (
				SELECT lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, ${startNs} AS start_at, duration_ns, kind, status, status_message,
					error_type, server_id, server_name, service_name, tool_name, provider, if(model != '', model, model_requested) AS served_model,
					input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano_usd AS cost_nano, ${running}
				${source.from} WHERE session_id = {session:String}
			)
			${after ? `WHERE ${place} > ({after_start:Int64}, {after_trace:String}, {after_span:String})` : ''}
			ORDER BY start_at, trace, span LIMIT {limit:UInt32} WITH TIES`,
			{
				...source.parameters,
				session: sessionId,
				limit,
				...(after && { after_start: after.startNs, after_trace: after.traceId, after_span: after.spanId }),
			},
		),
	)
}

/** What happened to a call in the gateway or proxy, as recorded in its span. */
export interface StoredHandling {
	trace: string
	span: string
	first_token_ns: string | null
	approval: string
	decision: string
	waited_ms: string
	attempts: string
	/** Of a failed call whose status has no message: the events, if one of them is an exception. */
	exceptions: string
}

/** The same for several calls; those without anything recorded are absent. */
export async function findHandling(
	store: QueryStore,
	workspaceId: string,
	calls: readonly StoredCall[],
): Promise<StoredHandling[]> {
	const [first] = calls
	const last = calls.at(-1)
	if (!first || !last) return []
	const ofCall = (name: string) => `attributes['signalbox.${name}']`
	return readStore(() =>
		store.query<StoredHandling>(
			`SELECT lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, toString(time_to_first_token_ns) AS first_token_ns,
				${ofCall('approval.id')} AS approval, ${ofCall('approval.decision')} AS decision,
				${ofCall('approval.waited_ms')} AS waited_ms, ${ofCall('attempts')} AS attempts, ${exceptionsWithoutMessage} AS exceptions
			FROM spans WHERE workspace_id = {workspace:String}
				AND started_at >= fromUnixTimestamp64Nano({from:Int64}) AND started_at <= fromUnixTimestamp64Nano({to:Int64})
				AND concat(lower(hex(trace_id)), lower(hex(span_id))) IN {calls:Array(String)}
				AND (first_token_ns IS NOT NULL OR decision != '' OR attempts != '' OR exceptions != '')`,
			{
				workspace: workspaceId,
				from: first.start_ns,
				to: last.start_ns,
				calls: calls.map(({ trace, span }) => `${trace}${span}`),
			},
		),
	)
}
