import type { OutputOf, QueryOf, spotlightOperations } from '@signalbox/contract'
import { presentMoney } from '../../ledger/ledger.ts'
import { toIso } from '../../platform/clock.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { callColumns } from '../../telemetry/index.ts'
import { countAmbiguous } from './ambiguous-repository.ts'
import { type CallFilter, readGroupBy } from './call-filter.ts'
import {
	type CallSums,
	countVisitors,
	noCalls,
	sumCalls,
	sumFigures,
	sumRecorded,
	sumWindows,
	type Visitors,
	type Windows,
} from './call-sums-repository.ts'
import { isError, type QueryStore } from './counted-calls.ts'
import { isDerived } from './derived-sessions.ts'
import { type Grouping, type GroupOrder, type GroupSums, sumGroups } from './group-repository.ts'

const newest = (column: string) => `argMax(${column}, started_at)`
const servedModel = "if(model != '', model, model_requested)"
/** As in derived sessions. The column is qualified, because the displayed column has the same name. */
const seenServer = "if(spans.server_name != '', spans.server_name, service_name)"
const serverKey = `if(server_id != '', server_id, concat('service:', ${seenServer}))`
const serverName = newest(seenServer)
const isRegistered = "toString(any(server_id) != '')"

/** The fields by which calls can be grouped. */
export const groupings = {
	tools: {
		by: { server_key: serverKey, tool: 'tool_name' },
		shown: { server_name: serverName, registered: isRegistered },
		where: "kind = 'tool_call'",
	},
	resources: {
		by: { server_key: serverKey, resource_uri: callColumns.get('resource')?.sql ?? '' },
		shown: { server_name: serverName, registered: isRegistered },
		where: "kind = 'mcp' AND mcp_method = 'resources/read'",
		requests: true,
	},
	prompts: {
		by: { server_key: serverKey, prompt: callColumns.get('prompt')?.sql ?? '' },
		shown: { server_name: serverName, registered: isRegistered },
		where: "kind = 'mcp' AND mcp_method = 'prompts/get'",
		requests: true,
	},
	servers: {
		by: { server_key: serverKey },
		shown: { server_name: serverName, registered: isRegistered },
		// A request of kind `mcp` that went to no server was answered by the gateway itself.
		where:
			"(kind = 'tool_call' OR kind = 'mcp' AND (server_id != '' OR spans.server_name != '' OR service_name != 'signalbox'))",
	},
	agents: {
		// An agent that is not registered is identified by the name in its spans.
		by: { agent: 'agent_id', seen_agent: "if(agent_id = '', agent_name, '')" },
		shown: { agent_label: newest('agent_name') },
		where: "(agent_id != '' OR agent_name != '')",
	},
	models: {
		by: { provider_key: 'provider', model_key: servedModel },
		shown: {},
		where: "kind = 'model_call'",
	},
	users: { by: { user: 'user_id' }, shown: {}, where: "user_id != ''", many: true },
	clients: { by: { program: 'client' }, shown: {}, where: "client != ''" },
	sessions: {
		by: { session: 'session_id' },
		shown: {
			agent: newest('agent_id'),
			agent_label: newest('agent_name'),
			user: newest('user_id'),
			program: newest('client'),
		},
		where: "session_id != ''",
		ended: true,
		many: true,
	},
	errors: {
		by: {
			failure: 'error_type',
			call_kind: 'kind',
			outcome: 'status',
			server_key: serverKey,
			tool: 'tool_name',
			model_key: servedModel,
		},
		shown: {
			server_name: serverName,
			registered: isRegistered,
			message: newest('status_message'),
			trace: `lower(hex(${newest('trace_id')}))`,
		},
		where: isError,
		failed: true,
	},
} as const satisfies Record<string, Grouping>

/**
 * The expressions by which a list can be sorted, over the sums of its groups; `…_change` compares the same expression in both ranges.
 */
export const sortExpressions = {
	calls: 'calls',
	errors: 'errors',
	error_rate: 'errors / calls',
	p95: 'quantiles_ns[2]',
	tokens: 'input + cache_read + cache_write + output + reasoning',
	cost: 'ifNull(sum(spans.cost_nano_usd), 0)',
	last_seen: 'max(started_at)',
} as const

const labelOf = (text: string | undefined) => (text === undefined || text === '' ? null : text)
const wasRegistered = (sums: GroupSums) => sums.registered === '1' || sums.registered === 'true'
const serverOf = (sums: GroupSums) => ({
	id: wasRegistered(sums) ? labelOf(sums.server_key) : null,
	name: labelOf(sums.server_name),
})
const agentOf = (sums: GroupSums) => ({ id: labelOf(sums.agent), name: labelOf(sums.agent_label) })

/** The labels of a group in each list: its columns in the form of the API. */
export const presentGroup = {
	tools: (sums: GroupSums) => ({ server: serverOf(sums), tool: sums.tool ?? '' }),
	resources: (sums: GroupSums) => ({ server: serverOf(sums), resource: sums.resource_uri ?? '' }),
	prompts: (sums: GroupSums) => ({ server: serverOf(sums), prompt: sums.prompt ?? '' }),
	servers: (sums: GroupSums) => ({ server: serverOf(sums), registered: wasRegistered(sums) }),
	agents: (sums: GroupSums) => ({ agent: agentOf(sums) }),
	models: (sums: GroupSums) => ({ provider: labelOf(sums.provider_key), model: labelOf(sums.model_key) }),
	users: (sums: GroupSums) => ({ user_id: labelOf(sums.user) }),
	clients: (sums: GroupSums) => ({ client: labelOf(sums.program) }),
	sessions: (sums: GroupSums) => ({
		session_id: sums.session ?? '',
		is_derived: isDerived(sums.session),
		agent: agentOf(sums),
		user_id: labelOf(sums.user),
		client: labelOf(sums.program),
		ended_at: toIso(Number(sums.end_ms)),
	}),
	errors: (sums: GroupSums) => ({
		error_type: labelOf(sums.failure),
		kind: sums.call_kind ?? '',
		status: sums.outcome ?? '',
		server: serverOf(sums),
		tool: labelOf(sums.tool),
		model: labelOf(sums.model_key),
		message: sums.message ?? '',
		trace_id: sums.trace ?? '',
	}),
}

type Noun = keyof typeof groupings
type ListQuery = QueryOf<(typeof spotlightOperations)['tools']>
/** The parameters of every list; its filter comes from several sources. */
type Query = Pick<ListQuery, 'start' | 'end' | 'sort' | 'limit' | 'group_by' | 'compare'> & CallFilter
type Present<Row> = (sums: GroupSums) => Row

interface Seen {
	first_seen_at: string
	last_seen_at: string
}

/** What is included only on request. */
interface Requested {
	group?: Record<string, string>
	/** Null if the group had no calls. */
	previous?: CallFigures | null
}

interface Breakdown<Row> {
	start: string
	end: string
	/** Total number of groups. */
	total: number
	rows: (Row & CallFigures & Seen & Requested)[]
}

interface GroupsWanted<Row> {
	workspaceId: string
	range: TimeRange
	grouping: Grouping
	query: Query
	present: Present<Row>
}

export interface BreakdownWanted<Row> extends Omit<GroupsWanted<Row>, 'grouping'> {
	noun: Noun
}

/** The largest groups of calls with their figures, grouped as in a list. */
export function readBreakdown<Row>(
	store: QueryStore,
	{ noun, ...wanted }: BreakdownWanted<Row>,
): Promise<Breakdown<Row>> {
	return readGroups(store, { ...wanted, grouping: groupings[noun] })
}

/** The same, also grouped by the requested fields. A sort by change always compares. */
async function readGroups<Row>(
	store: QueryStore,
	{ workspaceId, range, grouping, query: asked, present }: GroupsWanted<Row>,
): Promise<Breakdown<Row>> {
	const { sort, limit, group_by, compare, start: _start, end: _end, ...filter } = asked
	const groupBy = readGroupBy(group_by)
	const order = readOrder(sort, limit)
	const isCompared = compare === 'previous' || order.isChange
	const query = { filter, groupBy, order, compare: isCompared }
	const found = await sumGroups(store, workspaceId, range, grouping, query)
	const presentRow = (sums: GroupSums, before: GroupSums | undefined) => ({
		...present(sums),
		...(sums.is_now === 1 ? presentFigures(sums, sums) : noFigures),
		first_seen_at: toIso(Number(sums.first_ms)),
		last_seen_at: toIso(Number(sums.last_ms)),
		...(group_by && { group: groupBy.valuesOf(sums) }),
		...(isCompared && { previous: before ? presentFigures(before, before) : null }),
	})
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		total: Number(found[0]?.groups ?? 0),
		rows: pairsOf(found, limit).map(([now, before]) => presentRow(now, before)),
	}
}

function readOrder(sort: Query['sort'], limit: number): GroupOrder {
	const measure = sort.replace(/_change$/, '') as keyof typeof sortExpressions
	return { by: sortExpressions[measure], isChange: measure !== sort, limit }
}

/** Each group with its current and previous figures. For a group without current calls, the previous row provides its name. */
function pairsOf(rows: readonly GroupSums[], limit: number): [GroupSums, GroupSums | undefined][] {
	const places = Map.groupBy(rows, ({ place }, at) => Number(place ?? at + 1))
	return [...places]
		.filter(([place]) => place <= limit)
		.map(([, pair]) => {
			const before = pair.find(({ is_now }) => is_now === 0)
			return [(pair.find(({ is_now }) => is_now === 1) ?? before) as GroupSums, before]
		})
}

/** The figures of no calls. */
const noFigures: CallFigures = {
	calls: 0,
	errors: 0,
	error_rate: null,
	latency_ms: { p50: null, p95: null, p99: null },
	tool_calls: 0,
	model_calls: 0,
	tokens: { input: 0, cache_read: 0, cache_write: 0, output: 0, reasoning: 0 },
	...presentMoney('cost', 0n),
	unpriced_calls: 0,
	sessions: 0,
	users: 0,
}

type Operation = (typeof spotlightOperations)['usage']
type Group = { group: Record<string, string> }

const everyCall = { by: {}, shown: {}, where: '1' }
const ordinary = ['provider', 'model']

/** Calls grouped by fields and attributes only. */
export function readUsageGroups(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	query: Query,
): Promise<Breakdown<Group>> {
	// The group's values are added for the requested fields.
	const wanted = { workspaceId, range, grouping: everyCall, query, present: () => ({ group: {} }) }
	return readGroups<Group>(store, wanted) as Promise<Breakdown<Group>>
}

export async function readUsage(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	query: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const asked = { ...query, group_by: query.group_by?.length ? query.group_by : ordinary }
	const { rows, ...rest } = await readUsageGroups(store, workspaceId, range, asked)
	return { ...rest, usage: rows }
}

interface OverviewQuery {
	/** Whether to include the figures of the previous range of the same length. */
	compare?: boolean
	/** Fields by which to also return the figures of the largest groups. */
	groupBy?: string[] | undefined
}

const maxGroups = 50

/** The figures of a range. */
export async function readOverview(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
	{ compare = false, groupBy }: OverviewQuery = {},
): Promise<Overview> {
	const before = { startMs: 2 * range.startMs - range.endMs, endMs: range.startMs }
	const asked = {
		...filter,
		sort: 'calls' as const,
		limit: maxGroups,
		group_by: groupBy ?? [],
		...(compare && { compare: 'previous' as const }),
	}
	const [figures, ambiguous, previous, groups] = await Promise.all([
		readFigures(store, workspaceId, range, filter),
		countAmbiguous(store, workspaceId, range, filter),
		compare ? readFigures(store, workspaceId, before, filter) : null,
		groupBy?.length ? readUsageGroups(store, workspaceId, range, asked) : null,
	])
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		...figures,
		ambiguous_calls: ambiguous,
		...(previous && { previous }),
		...(groups && { groups: groups.rows }),
	}
}

/** `visitors`: whether sessions and users are counted too, which needs a separate query; otherwise they are 0. */
export async function readFigures(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
	visitors = true,
): Promise<CallFigures> {
	const sharing = { ...store, knownRolls: new Map() }
	const both = visitors
		? ((await sumRecorded(store, workspaceId, range, filter)) ??
			(await sumFigures(sharing, workspaceId, range, filter)))
		: null
	if (both) return presentFigures(both, both)
	const [sums, counted] = await Promise.all([
		sumCalls(sharing, workspaceId, range, filter),
		visitors ? countVisitors(sharing, workspaceId, range, filter) : { sessions: '0', users: '0' },
	])
	return presentFigures(sums, counted)
}

/** The figures of each of many windows, in order, with few queries. */
export async function readWindows(
	store: QueryStore,
	workspaceId: string,
	windows: Windows,
	filter: CallFilter = {},
	visitors = true,
): Promise<CallFigures[]> {
	const found = await sumWindows(store, workspaceId, windows, filter, visitors)
	return Array.from({ length: windows.count }, (_, place) => {
		const sums = found.get(place) ?? noCalls
		return presentFigures(sums, sums)
	})
}

type Overview = OutputOf<(typeof spotlightOperations)['overview']>
export type CallFigures = Omit<Overview, 'start' | 'end' | 'ambiguous_calls' | 'previous' | 'groups'>

/** Converts sums to the form of the API. */
export function presentFigures(sums: CallSums, visitors: Visitors): CallFigures {
	const [calls, errors] = [Number(sums.calls), Number(sums.errors)]
	return {
		calls,
		errors,
		error_rate: calls === 0 ? null : errors / calls,
		latency_ms: toLatency(sums),
		tool_calls: Number(sums.tool_calls),
		model_calls: Number(sums.model_calls),
		tokens: {
			input: Number(sums.input),
			cache_read: Number(sums.cache_read),
			cache_write: Number(sums.cache_write),
			output: Number(sums.output),
			reasoning: Number(sums.reasoning),
		},
		...presentMoney('cost', sums.cost_nano_usd ?? '0'),
		unpriced_calls: Number(sums.unpriced_calls),
		sessions: Number(visitors.sessions),
		users: Number(visitors.users),
	}
}

function toLatency({ timed, quantiles_ns }: CallSums): Overview['latency_ms'] {
	const [p50, p95, p99] = quantiles_ns.map((ns) => (timed === '0' ? null : Number(ns) / 1e6))
	return { p50: p50 ?? null, p95: p95 ?? null, p99: p99 ?? null }
}
