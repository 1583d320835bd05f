import { fromSpansOfTraces } from '../columns.ts'
import { maxSessions, type QueryStore, readStore } from '../reads/span-repository.ts'
import type { SpanRow } from '../span-row.ts'
import type { ModelTurn, ToolRun } from './link-tools.ts'

/** The period from which turns and runs are read, in nanoseconds. */
interface Span {
	fromNs: string
	toNs: string
}

/** A run may begin this long after the model call that requested it. */
export const lastRunNs = 3_600_000_000_000n

const inTime = (column: string) =>
	`${column} BETWEEN fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND fromUnixTimestamp64Nano({to:Int64}, 'UTC')`

/** From the first to the last call of a session; null if it has none. */
export async function findSpanOfSession(
	store: QueryStore,
	workspaceId: string,
	sessionId: string,
): Promise<Span | null> {
	const [found] = await readStore(() =>
		store.query<{ calls: string; first: string; last: string }>(
			`SELECT count() AS calls, toString(toUnixTimestamp64Nano(min(recorded_at))) AS first, toString(toUnixTimestamp64Nano(max(recorded_at))) AS last
			FROM exchanges WHERE workspace_id = {workspace:String} AND session_id = {session:String}`,
			{ workspace: workspaceId, session: sessionId },
		),
	)
	return found && Number(found.calls) > 0 ? { fromNs: found.first, toNs: found.last } : null
}

interface StoredTurn {
	trace: string
	span: string
	start_ns: string
	session_id: string
	agent: string
	tool_use_id: string[]
	tool_use_name: string[]
	hashes: string[]
	result_id: string[]
}

/** Of all sessions, because the same run could have been caused by another one. */
export async function findTurns(store: QueryStore, workspaceId: string, span: Span): Promise<ModelTurn[]> {
	const found = await readStore(() =>
		store.query<StoredTurn>(
			`SELECT lower(hex(e.trace_id)) AS trace, lower(hex(e.span_id)) AS span, toString(toUnixTimestamp64Nano(e.recorded_at)) AS start_ns,
				e.session_id AS session_id, s.agent_id AS agent, e.tool_use_id AS tool_use_id, e.tool_use_name AS tool_use_name,
				arrayMap(h -> lower(hex(h)), e.tool_use_arguments) AS hashes, e.result_id AS result_id
			FROM exchanges AS e INNER JOIN (
				SELECT trace_id, span_id, toString(agent_id) AS agent_id FROM spans
				WHERE workspace_id = {workspace:String} AND source = 'model_proxy' AND ${inTime('started_at')}
			) AS s ON e.trace_id = s.trace_id AND e.span_id = s.span_id
			WHERE e.workspace_id = {workspace:String} AND ${inTime('e.recorded_at')} AND (notEmpty(e.tool_use_id) OR notEmpty(e.result_id))`,
			{ workspace: workspaceId, from: span.fromNs, to: span.toNs },
		),
	)
	return found.map((row) => ({
		traceId: row.trace,
		spanId: row.span,
		startNs: BigInt(row.start_ns),
		sessionId: row.session_id,
		agentId: row.agent,
		resultIds: row.result_id,
		toolUses: row.tool_use_id.map((id, i) => ({
			id,
			name: row.tool_use_name[i] as string,
			argumentsHash: (row.hashes[i] as string).replace(/^0+$/, ''),
		})),
	}))
}

/** Tool calls through the gateway. */
export function findRuns(store: QueryStore, workspaceId: string, span: Span): Promise<ToolRun[]> {
	return selectRuns(store, `FROM spans WHERE workspace_id = {workspace:String} AND ${inTime('started_at')}`, {
		workspace: workspaceId,
		from: span.fromNs,
		to: span.toNs,
	})
}

const maxRunsOfTrace = 1000

/** The first 1,000 of one trace. */
export function findRunsOfTrace(store: QueryStore, workspaceId: string, traceId: string): Promise<ToolRun[]> {
	return selectRuns(
		store,
		fromSpansOfTraces,
		{ workspace: workspaceId, traces: [traceId] },
		`ORDER BY started_at LIMIT ${maxRunsOfTrace}`,
	)
}

async function selectRuns(
	store: QueryStore,
	from: string,
	parameters: Record<string, unknown>,
	rest = '',
): Promise<ToolRun[]> {
	const found = await readStore(() =>
		store.query<
			Record<'trace' | 'span' | 'start_ns' | 'agent' | 'tool' | 'status' | 'tool_use' | 'arguments', string>
		>(
			`SELECT lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, toString(toUnixTimestamp64Nano(started_at)) AS start_ns,
				agent_id AS agent, tool_name AS tool, status, attributes['gen_ai.tool.call.id'] AS tool_use,
				attributes['signalbox.arguments_hash'] AS arguments
			${from} AND source = 'gateway' AND kind = 'tool_call' ${rest}`,
			parameters,
		),
	)
	return found.map((row) => ({
		traceId: row.trace,
		spanId: row.span,
		startNs: BigInt(row.start_ns),
		agentId: row.agent,
		tool: row.tool,
		status: row.status,
		toolUseId: row.tool_use,
		argumentsHash: row.arguments,
	}))
}

/** The same, if all spans of the trace are available, earliest first. */
export function runsAmong(spans: readonly SpanRow[]): ToolRun[] {
	return spans
		.filter(({ source, kind }) => source === 'gateway' && kind === 'tool_call')
		.slice(0, maxRunsOfTrace)
		.map(({ traceId, spanId, startNs, agentId, toolName, status, attributes }) => ({
			...{ traceId, spanId, startNs, agentId, tool: toolName, status },
			toolUseId: String(attributes.get('gen_ai.tool.call.id') ?? ''),
			argumentsHash: String(attributes.get('signalbox.arguments_hash') ?? ''),
		}))
}

/** Sessions with a model call that requested something that ran. */
export async function findSessionsAsking(
	store: QueryStore,
	workspaceId: string,
	runs: readonly ToolRun[],
): Promise<string[]> {
	const ids = runs.map(({ toolUseId }) => toolUseId).filter((id) => id !== '')
	const hashes = runs.map(({ argumentsHash }) => argumentsHash).filter((hash) => hash !== '')
	if (ids.length === 0 && hashes.length === 0) return []
	const found = await readStore(() =>
		store.query<{ session_id: string }>(
			`SELECT DISTINCT session_id FROM exchanges WHERE workspace_id = {workspace:String} AND ${inTime('recorded_at')} AND session_id != ''
				AND (hasAny(tool_use_id, {ids:Array(String)}) OR hasAny(arrayMap(h -> lower(hex(h)), tool_use_arguments), {hashes:Array(String)}))
			ORDER BY session_id LIMIT ${maxSessions}`,
			{
				...{ workspace: workspaceId, ids, hashes },
				from: String((runs[0]?.startNs ?? 0n) - lastRunNs),
				to: String(runs.at(-1)?.startNs ?? 0n),
			},
		),
	)
	return found.map(({ session_id }) => session_id)
}
