import { callJoins, isOneOfIds, keyStrengths, readStore, toolKey } from '../../../telemetry/index.ts'
import type { QueryStore } from '../counted-calls.ts'
import { callsOfTraces } from '../joins/calls-of-traces.ts'
import { joinCalls } from '../joins/join-calls.ts'
import { findSeenSpans, rankOf } from '../joins/seen-spans-repository.ts'

/** Identifies a span by the ids of its trace and itself, in hex. */
export interface SpanPlace {
	trace: string
	span: string
}

/** A row as the store returns it: 64-bit numbers are text. */
export interface StoredView extends SpanPlace {
	/** See `rankOf`. */
	rank: number
	otlp_kind: number
	kind: 'tool_call' | 'model_call'
	tool: string
	served_model: string
	name: string
	service: string
	status: string
	start_ns: string
	length_ns: string
	is_ambiguous: 0 | 1
}

/** The views of one call within a trace, by one of its keys: see `withMatches`. */
export interface StoredMatch {
	trace: string
	leader: string
	strength: number
	hides: string[]
	partners: [trace: string, leader: string, rank: number][]
}

const idOf = (hex: string, bytes: number) => `toFixedString(unhex(${hex}), ${bytes})`
const viewColumns = `lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, ${rankOf} AS rank, otlp_kind, kind, tool_name AS tool,
	if(model != '', model, model_requested) AS served_model, name, service_name AS service, status,
	toString(toUnixTimestamp64Nano(started_at)) AS start_ns, toString(duration_ns) AS length_ns,
	(trace_id, span_id) IN (SELECT trace_id, span_id FROM ${callJoins} FINAL WHERE workspace_id = {workspace:String} AND is_hidden = 2
		AND ${isOneOfIds('trace_id', 'traces')}) AS is_ambiguous`
const isCall = "workspace_id = {workspace:String} AND kind IN ('tool_call', 'model_call')"

/** Calls among the spans of at most a few traces. */
export function findViews(
	store: QueryStore,
	workspaceId: string,
	places: readonly SpanPlace[],
): Promise<StoredView[]> {
	return readStore(() =>
		store.query<StoredView>(
			`SELECT ${viewColumns} FROM spans WHERE ${isCall} AND (trace_id, span_id) IN (
				SELECT ${idOf('place.1', 16)}, ${idOf('place.2', 8)} FROM (SELECT arrayJoin(arrayZip({traces:Array(String)}, {spans:Array(String)})) AS place))
				AND ${isOneOfIds('trace_id', 'traces')}
			ORDER BY started_at, trace_id, span_id`,
			{
				workspace: workspaceId,
				traces: places.map(({ trace }) => trace),
				spans: places.map(({ span }) => span),
			},
		),
	)
}

const within = (seconds: number) =>
	`started_at >= fromUnixTimestamp64Nano({at:Int64} - ${seconds}000000000, 'UTC') AND started_at <= fromUnixTimestamp64Nano({at:Int64} + ${seconds}000000000, 'UTC')`
const keys = `arrayConcat(view_keys, if(kind = 'tool_call', [${toolKey}], []))`
/** Traces with a key in common: what could be a view of the same call, and, applied repeatedly, what else could claim that. */
const withKeyOf = (traces: string, near: string) => `SELECT trace_id FROM spans WHERE ${isCall} AND ${near}
	AND hasAny(${keys}, (SELECT groupUniqArrayArray(${keys}) FROM spans WHERE ${isCall} AND ${near} AND trace_id IN (${traces})))`

const ownTrace = `SELECT ${idOf('{trace:String}', 16)}`
const withExactKey = `SELECT trace_id FROM spans ARRAY JOIN view_keys AS key WHERE ${isCall} AND ${within(1200)} AND bitAnd(key, 3) = ${keyStrengths.exact}
	AND key IN (SELECT arrayJoin(view_keys) FROM spans WHERE ${isCall} AND ${within(1200)} AND trace_id IN (${ownTrace}))`
const maxTraces = 1000

/** Traces that may be related to a call, its own first. If there are very many, only ids are used to distinguish them. */
export async function findRelatedTraces(
	store: QueryStore,
	workspaceId: string,
	{ trace, start_ns }: StoredView,
): Promise<string[]> {
	const find = async (traces: string) => {
		const sql = `SELECT DISTINCT lower(hex(trace_id)) AS trace FROM (${traces}) LIMIT ${maxTraces}`
		const rows = await readStore(() =>
			store.query<{ trace: string }>(sql, { workspace: workspaceId, trace, at: start_ns }),
		)
		return rows.map((row) => row.trace)
	}
	const [exact, near] = await Promise.all([
		find(withExactKey),
		find(withKeyOf(withKeyOf(ownTrace, within(10)), within(20))),
	])
	return [...new Set([trace, ...exact, ...(near.length < maxTraces ? near : [])])]
}

/** The views that belong together in these traces, around a time. */
export async function findMatches(
	store: QueryStore,
	workspaceId: string,
	traces: readonly string[],
	startNs: string,
): Promise<StoredMatch[]> {
	const near = `workspace_id = {workspace:String} AND ${within(3600)} AND ${isOneOfIds('trace_id', 'traces')}`
	const parameters = { workspace: workspaceId, traces: [...traces], at: startNs }
	const { calls } = callsOfTraces(await findSeenSpans(store, workspaceId, near, parameters, keys))
	const matches = joinCalls(calls)
	const alone = new Set(calls)
	for (const { call } of matches) alone.delete(call)
	return [...matches, ...[...alone].map((call) => ({ call, strength: 0, partners: [] }))].map(
		({ call, strength, partners }) => ({
			...{ trace: call.trace, leader: call.leader, strength, hides: [...call.hides] },
			partners: partners.map(({ trace, leader, rank }): [string, string, number] => [trace, leader, rank]),
		}),
	)
}
