import { randomUUID } from 'node:crypto'
import { hashOfArguments } from '../../../platform/arguments-hash.ts'
import type { TelemetryStore } from '../../../platform/clickhouse/store.ts'
import {
	callJoinColumnNames,
	callJoins,
	encodeCallJoin,
	isOneOfIds,
	keyStrengths,
	orderedKey,
	readStore,
	rollups,
	tagKeys,
	tagPrefixes,
} from '../../../telemetry/index.ts'
import type { Outcome } from './join-calls.ts'
import type { ArrivedCall } from './near-calls.ts'
import { placeOf, type SeenSpan, type SessionLevel, usageWeightBit } from './view.ts'

type Store = Pick<TelemetryStore, 'query'>

/** Which side recorded a call, in ascending precedence: client (1), server (2), gateway or model proxy (3). */
export const rankOf = "toUInt8(multiIf(source != 'otlp', 3, otlp_kind = 2, 2, 1))"
/**
 * Precedence of a view: first by rank; within a rank, views with token usage precede those without, views with usage details (cached
 * and reasoning tokens) precede those with sums only, and the provider's own client, which has read the answer, precedes libraries
 * that are built on it.
 */
const doesTell = "(kind != 'model_call' OR usage_source IN ('reported', 'estimated'))"
const tellsParts = "(kind = 'model_call' AND cache_read_tokens + cache_write_tokens + reasoning_tokens > 0)"
const weightOf = `toUInt8(${rankOf} * 8 + ${usageWeightBit} * ${doesTell} + 2 * ${tellsParts} + match(scope_name, '^com\\\\.(anthropic|openai)\\\\.'))`
/** As in the keys of calls: see `view-keys.ts`. */
const tokensOf = `if(kind = 'model_call' AND ${doesTell}, concat(toString(input_tokens + cache_read_tokens + cache_write_tokens), ' ', toString(output_tokens + reasoning_tokens)), '')`
export const isJoinable = "kind IN ('tool_call', 'model_call', 'mcp')"

/** An inferred session is not a name. */
const hasSession = "(session_id != '' AND NOT startsWith(session_id, 'inferred:'))"
const hasAgent = "(agent_id != '' OR agent_name != '')"
const level = `toUInt8(multiIf(session_id = '', 0, startsWith(session_id, 'inferred:'), 1, source = 'gateway', 2, 3))`

const isTag = `(k IN (${tagKeys.map((key) => `'${key}'`).join(', ')}) OR ${tagPrefixes.map((prefix) => `startsWith(k, '${prefix}')`).join(' OR ')})`
const tags = `mapFilter((k, v) -> ${isTag}, attributes)`

/** Attributes with the arguments of a tool; values longer than a limit are not read. */
const argumentKeys = [
	...['gen_ai.tool.call.arguments', 'mcp.tool.arguments', 'ai.toolCall.args', 'ai.toolCall.input'],
	...['input.value', 'langfuse.observation.input', 'tool.parameters'],
]
const argumentsText = `if(kind = 'tool_call' AND source = 'otlp', substring(arrayFirst(v -> v != '', [${argumentKeys.map((key) => `attributes['${key}']`).join(', ')}]), 1, 100000), '')`

/** The id of the tool use in the model's answer. */
export const toolUse = `if(kind = 'tool_call', arrayFirst(v -> v != '', [attributes['gen_ai.tool.call.id'], attributes['ai.toolCall.id']]), '')`
/** Shorter ids (`call_1`) are reused in other sessions. */
export const minUseLength = 16

interface StoredSpan {
	trace: string
	span: string
	parent: string
	kind: string
	subject: string
	start_us: number
	length_us: number
	rank: number
	weight: number
	scope: string
	tokens: string
	keys: string[]
	arguments_hash: string
	arguments_text: string
	tool_use: string
	level: SessionLevel
	session: string
	user: string
	agent: string
	agent_label: string
	tags: Record<string, string>
	days: number
}

const columns = (
	keys: string,
) => `lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, lower(hex(parent_span_id)) AS parent, toString(kind) AS kind,
	if(kind = 'mcp', mcp_method, toString(tool_name)) AS subject, toFloat64(toUnixTimestamp64Micro(started_at)) AS start_us,
	if(status = 'interrupted', -1., duration_ns / 1000) AS length_us, ${rankOf} AS rank, ${weightOf} AS weight, scope_name AS scope, ${tokensOf} AS tokens,
	arrayMap(key -> toString(key), ${keys}) AS keys, attributes['signalbox.arguments_hash'] AS arguments_hash, ${argumentsText} AS arguments_text, ${toolUse} AS tool_use,
	${level} AS level, session_id AS session, user_id AS user, toString(agent_id) AS agent, agent_name AS agent_label, ${tags} AS tags, retention_days AS days`

/** A span with the retention of its rows. */
export type StoredSeenSpan = SeenSpan & { retentionDays: number }

/** Spans by `placeOf`. `where` is our own condition, which includes the workspace. */
export async function findSeenSpans(
	store: Store,
	workspaceId: string,
	where: string,
	parameters: Record<string, unknown>,
	keys = 'view_keys',
): Promise<Map<string, StoredSeenSpan>> {
	const rows = await readStore(() =>
		store.query<StoredSpan>(`SELECT ${columns(keys)} FROM spans WHERE ${where}`, parameters),
	)
	const uses = await findRequestedUses(store, workspaceId, rows)
	return new Map(rows.map((row) => [placeOf(row), seenSpan(row, workspaceId, uses)]))
}

/** A tool use as the proxy recorded it with the model's answer; each text is '' where it is unknown or answers differ. */
interface RequestedUse {
	id: string
	/** Of the arguments. */
	hash: string
	/** As the model call names them. */
	session: string
	user: string
}

const hasOwnArguments = ({ rank, arguments_text }: StoredSpan) => rank === 3 || arguments_text !== ''
const mayTakeNames = ({ tool_use, level }: StoredSpan) => tool_use.length >= minUseLength && level < 3

/** For calls that have the id of a tool use, but no arguments or no session named by their client. */
async function findRequestedUses(
	store: Store,
	workspaceId: string,
	rows: readonly StoredSpan[],
): Promise<ReadonlyMap<string, RequestedUse>> {
	const open = rows.filter((row) => row.tool_use !== '' && (!hasOwnArguments(row) || mayTakeNames(row)))
	if (open.length === 0) return new Map()
	const times = open.map(({ start_us }) => start_us / 1000).sort((a, b) => a - b)
	const found = await readStore(() =>
		store.query<RequestedUse>(
			`SELECT id, if(uniqExact(arguments_hash) = 1, lower(hex(any(arguments_hash))), '') AS hash, ${onlyOne("if(startsWith(session_id, 'inferred:'), '', session_id)")} AS session,
				${onlyOne('user_id')} AS user
			FROM exchanges ARRAY JOIN tool_use_id AS id, tool_use_arguments AS arguments_hash
			WHERE workspace_id = {workspace:String} AND recorded_at >= fromUnixTimestamp64Milli({first:Int64}, 'UTC') - INTERVAL 1 HOUR
				AND recorded_at <= fromUnixTimestamp64Milli({last:Int64}, 'UTC') + INTERVAL 1 MINUTE AND id IN {uses:Array(String)}
			GROUP BY id`,
			{
				...{ workspace: workspaceId, uses: [...new Set(open.map((row) => row.tool_use.toWellFormed()))] },
				...{ first: Math.floor(times[0] as number), last: Math.ceil(times.at(-1) as number) },
			},
		),
	)
	return new Map(found.map((use) => [use.id, { ...use, hash: /^0*$/.test(use.hash) ? '' : use.hash }]))
}

const onlyOne = (value: string) => `if(uniqExact(${value}) = 1, any(${value}), '')`

function seenSpan(
	row: StoredSpan,
	workspaceId: string,
	uses: ReadonlyMap<string, RequestedUse>,
): StoredSeenSpan {
	const { trace, span, parent, kind, subject, rank, weight, scope, tokens, keys, tags } = row
	const ownHash = row.arguments_text === '' ? '' : hashOfArguments(row.arguments_text, workspaceId)
	const { level, session, user, agent, agent_label } = row
	const use = uses.get(row.tool_use)
	return {
		...{ trace, span, parent, kind, subject, rank, weight, scope, tokens, keys, tags },
		...{ startUs: row.start_us, lengthUs: row.length_us, retentionDays: row.days },
		contentHash: row.arguments_hash || ownHash || (!hasOwnArguments(row) && use?.hash) || '',
		names: { level, session, user, agentId: agent, agentName: agent_label },
		...(use && mayTakeNames(row) && { requestedBy: { session: use.session, user: use.user } }),
	}
}

/** The spans to examine: our own conditions, which include the workspace. */
export interface JoinWindow {
	/** The spans that are to be joined. */
	core: string
	/** Everything that may be related to them; and the long spans among those that began earlier. */
	near: string
	far: string
	parameters: Record<string, unknown>
}

const ofTraces = isOneOfIds('trace_id', 'traces')
const coreTraces = ({ core }: JoinWindow) => `SELECT trace_id FROM spans WHERE ${core}`

/** A condition on spans that may affect calls of a period. */
export const mayAffectCalls = ({ near, far }: Pick<JoinWindow, 'near' | 'far'>) =>
	`(${near} OR ${rollups.isLong} AND ${far})`

const lacks = (name: string) => `(countIf(${isJoinable} AND NOT ${name}) > 0 AND countIf(${name}) > 0)`
const differs = (column: string) => `minIf(${column}, ${isJoinable}) != maxIf(${column}, ${isJoinable})`
const ids = `arrayFilter(key -> bitAnd(key, 3) = ${keyStrengths.exact}, view_keys)`
/**
 * For HAVING: whether two of several calls may be views of one. Calls recorded by the same library in a trace are separate calls,
 * unless one is the parent of another span or two share an id.
 */
const hasViews = `(countIf(${isJoinable}) > 1 AND countIf(${isJoinable} AND source = 'otlp') > 0 AND (${[
	differs('source'),
	differs('scope_name'),
	`hasAny(groupArrayIf(span_id, ${isJoinable}), groupArray(parent_span_id))`,
	`sumIf(length(${ids}), kind = 'model_call') > uniqExactArrayIf(${ids}, kind = 'model_call')`,
].join(' OR ')}))`
/** For HAVING: whether a call of the trace may have several views, or lacks a fact that another span has. */
export const isMixed = `(count() > 1 AND (${[
	hasViews,
	...[hasSession, "(user_id != '')", hasAgent].map(lacks),
	`countIf(${isJoinable}) > 0 AND countIf(arrayExists(k -> ${isTag}, mapKeys(attributes))) > 0`,
].join(' OR ')}))`

/** The traces of the core for which that holds. */
export const findMixedTraces = (store: Store, look: JoinWindow): Promise<string[]> =>
	tracesOf(
		store,
		`SELECT trace_id FROM spans WHERE ${mayAffectCalls(look)} AND trace_id IN (${coreTraces(look)}) GROUP BY trace_id HAVING ${isMixed}`,
		look.parameters,
	)

/** The traces of the core with a tool call that may take its session from the model call that requested it. */
export const findTracesWithUses = (store: Store, { core, parameters }: JoinWindow): Promise<string[]> =>
	tracesOf(
		store,
		`SELECT trace_id FROM spans WHERE ${core} AND kind = 'tool_call' AND ${level} < 3 AND length(${toolUse}) >= ${minUseLength} AND ${toolUse} IN (
			SELECT arrayJoin(tool_use_id) FROM exchanges WHERE workspace_id = {workspace:String} AND recorded_at >= fromUnixTimestamp64Milli({start_0:Int64}, 'UTC') - INTERVAL 1 HOUR
				AND recorded_at <= fromUnixTimestamp64Milli({end_0:Int64}, 'UTC') + INTERVAL 1 MINUTE)`,
		parameters,
	)

const isCall = "kind IN ('tool_call', 'model_call')"

/** The calls that match a condition on spans; if there are more than `most`, the last stored ones. */
export function findArrivedCalls(
	store: Store,
	where: string,
	parameters: Record<string, unknown>,
	most: number,
): Promise<ArrivedCall[]> {
	return readStore(() =>
		store.query<ArrivedCall>(
			`SELECT toString(kind) AS kind, lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, arrayMap(key -> ${keyNumber}, view_keys) AS keys,
				toFloat64(toUnixTimestamp64Micro(started_at)) AS start_us, if(status = 'interrupted', -1., duration_ns / 1000) AS length_us, ${rankOf} AS rank,
				toUInt8(if(kind = 'model_call', usage_source IN ('reported', 'estimated'), attributes['signalbox.arguments_hash'] != '' OR ${argumentsText} != '' OR (source = 'otlp' AND ${toolUse} != ''))) AS tells
			FROM spans WHERE ${isCall} AND notEmpty(view_keys) AND ${where} ORDER BY stored_at DESC LIMIT ${most}`,
			parameters,
		),
	)
}
/** A key with some bits removed, so that a float represents it exactly. The last two bits are kept. */
const keyNumber = 'toFloat64(bitShiftRight(key, 14) * 4 + bitAnd(key, 3))'

/** Ambiguous keys count only if they occur within this time, in seconds, from two sides. */
const togetherS = 120
/**
 * The traces whose calls share a key with calls of the core, or of given traces: a key that different sides have in several traces, or
 * several libraries in one.
 */
export function findTracesWithSharedKeys(
	store: Store,
	{ near, core, parameters }: JoinWindow,
	traces?: readonly string[],
): Promise<string[]> {
	const calls = `spans ARRAY JOIN view_keys AS key WHERE ${near} AND ${isCall}`
	const keys = traces
		? `SELECT key FROM ${calls} AND ${ofTraces}`
		: `SELECT arrayJoin(view_keys) FROM spans WHERE ${core} AND ${isCall}`
	const about = `intDiv(toUnixTimestamp(started_at), ${togetherS})`
	// Traces near the core, or near those that are near it.
	const reachS = traces ? 3 * togetherS : togetherS
	const isNear = `(bitAnd(key, 3) != ${orderedKey} OR started_at >= fromUnixTimestamp64Milli({start_0:Int64}, 'UTC') - INTERVAL ${reachS} SECOND
		AND started_at <= fromUnixTimestamp64Milli({end_0:Int64}, 'UTC') + INTERVAL ${reachS} SECOND)`
	return tracesOf(
		store,
		`SELECT arrayJoin(traces) AS trace_id FROM (SELECT groupUniqArray(trace_id) AS traces FROM ${calls} AND ${isNear} AND key IN (${keys})
		GROUP BY key, arrayJoin(if(bitAnd(key, 3) = ${orderedKey}, [${about}, ${about} + 1], [0])) AS about
		HAVING countIf(source = 'otlp') > 0 AND if(max(kind = 'model_call') = 1 OR bitAnd(key, 3) = ${orderedKey}, uniqExact((source, scope_name)) > 1, length(traces) > 1 AND uniqExact(${rankOf}) > 1))`,
		{ ...parameters, ...(traces && { traces: [...traces] }) },
	)
}

async function tracesOf(store: Store, sql: string, parameters: Record<string, unknown>): Promise<string[]> {
	const rows = await readStore(() =>
		store.query<{ trace: string }>(`SELECT DISTINCT lower(hex(trace_id)) AS trace FROM (${sql})`, parameters),
	)
	return rows.map(({ trace }) => trace)
}

export function findSpansOfTraces(
	store: Store,
	workspaceId: string,
	look: JoinWindow,
	traces: readonly string[],
): Promise<Map<string, StoredSeenSpan>> {
	const where = `${mayAffectCalls(look)} AND ${ofTraces}`
	return findSeenSpans(store, workspaceId, where, { ...look.parameters, traces: [...traces] })
}

/** A row of `call_joins` as texts, in the order of `joinFields`. */
export type JoinRow = readonly string[]
const joinFields = [
	'days',
	'at',
	'start_us',
	'trace',
	'span',
	'hidden',
	'in_trace',
	'in_span',
	'session',
	'user',
	'agent',
	'agent_label',
	'joined_tags',
]

const noSpan = '0'.repeat(16)
const noTrace = '0'.repeat(32)

/** Null if the call's own span has everything. */
export function joinRowOf(
	{ span, isHidden, counted, names, tags }: Outcome,
	retentionDays: number,
): JoinRow | null {
	const { session, user, agentId, agentName } = names
	// Queries that need tags do not read hidden calls.
	const own = isHidden ? '{}' : JSON.stringify(tags)
	if (!isHidden && own === '{}' && session + user + agentId + agentName === '') return null
	return rowOf(span, retentionDays, [
		...[String(isHidden), counted?.trace ?? noTrace, counted?.span ?? noSpan],
		...[session, user, agentId, agentName, own],
	])
}

/** Revokes a row. */
export const emptyRowOf = (row: JoinRow): JoinRow => [
	...row.slice(0, 5),
	'0',
	noTrace,
	noSpan,
	'',
	'',
	'',
	'',
	'{}',
]

function rowOf(
	{ startUs, trace, span }: StoredSeenSpan | Outcome['span'],
	days: number,
	values: readonly string[],
): JoinRow {
	const hour = Math.floor(startUs / 3600e6) * 3600
	return [String(days), String(hour), String(startUs), trace, span, ...values]
}

const stored = `toString(retention_days) AS days, toString(toUnixTimestamp(hour)) AS at, toString(toUnixTimestamp64Micro(started_at)) AS start_us,
	lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, toString(is_hidden) AS hidden, lower(hex(counted_trace)) AS in_trace, lower(hex(counted_span)) AS in_span,
	session_id AS session, user_id AS user, agent_id AS agent, agent_name AS agent_label, toJSONString(tags) AS joined_tags`

/** The rows for calls in these hours (seconds), of certain traces or of all; empty rows are left out. */
export async function findJoins(
	store: Store,
	workspaceId: string,
	hours: { first: number; last: number },
	traces?: readonly string[],
): Promise<JoinRow[]> {
	const rows = await readStore(() =>
		store.query<Record<string, string>>(
			`SELECT ${stored} FROM ${callJoins} FINAL WHERE workspace_id = {workspace:String} AND hour >= toDateTime({first:UInt32}, 'UTC') AND hour <= toDateTime({last:UInt32}, 'UTC')
				${traces ? `AND ${ofTraces}` : ''}`,
			{ workspace: workspaceId, ...hours, ...(traces && { traces: [...traces] }) },
		),
	)
	return rows.map((row) =>
		joinFields.map((name) =>
			name === 'joined_tags' ? JSON.stringify(JSON.parse(row[name] ?? '{}')) : (row[name] ?? ''),
		),
	)
}

export async function writeJoins(
	store: Pick<TelemetryStore, 'insertRowBinary'>,
	workspaceId: string,
	rows: readonly JoinRow[],
): Promise<void> {
	if (rows.length === 0) return
	await store.insertRowBinary({
		table: callJoins,
		columns: callJoinColumnNames,
		rows: rows.map(([days, hour, start, trace = '', span = '', hidden, ...values]) => {
			const [countedTrace = '', countedSpan = '', ...names] = values.slice(0, 6)
			return encodeCallJoin({
				...{ workspaceId, retentionDays: Number(days), hourS: Number(hour), startUs: Number(start) },
				...{ trace, span, isHidden: Number(hidden), countedTrace, countedSpan, names },
				tags: JSON.parse(values[6] ?? '{}'),
			})
		}),
		deduplicationToken: `joins-${randomUUID()}`,
	})
}
