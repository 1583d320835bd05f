import { type QueryStore, readStore } from '../reads/repository.ts'
import type { ModelTurn, ToolRun } from './link-tools.ts'

/** Turns and runs of a time, in nanoseconds. */
export interface Span {
	fromNs: string
	toNs: string
}

const inTime = (column: string) =>
	`${column} BETWEEN fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND fromUnixTimestamp64Nano({to:Int64}, 'UTC')`

/** From the first to the last call of a session; null when it has none. */
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

/** Of all sessions: another one's may be the cause of the same run. */
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

/** Calls of tools through the gateway. */
export async function findRuns(store: QueryStore, workspaceId: string, span: Span): Promise<ToolRun[]> {
	const found = await readStore(() =>
		store.query<
			Record<'trace' | 'span' | 'start_ns' | 'agent' | 'tool' | 'status' | 'tool_use' | 'arguments', string>
		>(
			`SELECT lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, toString(toUnixTimestamp64Nano(started_at)) AS start_ns,
				agent_id AS agent, tool_name AS tool, status, attributes['gen_ai.tool.call.id'] AS tool_use,
				attributes['signalbox.arguments_hash'] AS arguments
			FROM spans WHERE workspace_id = {workspace:String} AND source = 'gateway' AND kind = 'tool_call' AND ${inTime('started_at')}`,
			{ workspace: workspaceId, from: span.fromNs, to: span.toNs },
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
