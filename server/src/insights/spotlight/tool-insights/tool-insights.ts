import { type OutputOf, spotlightMcpExport, spotlightMcpOperations } from '@signalbox/contract'
import { presentMoney } from '../../../ledger/ledger.ts'
import { toIso } from '../../../platform/clock.ts'
import { csvLine } from '../../../platform/csv.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { createQueryReader } from '../../../platform/http/read-body.ts'
import { principalIn, type RequestContext, type Route } from '../../../platform/http/route.ts'
import { readTimeRange } from '../../../platform/time-range.ts'
import type { ServerEntry } from '../../../servers/servers.ts'
import { readDefinitionChanges } from './definition-changes.ts'
import type { Findings, InsightContext, InsightRequest } from './tool-insight-context.ts'
import {
	findInvalidArguments,
	findLoops,
	findSeenServers,
	type InvalidArgumentRow,
	type LoopRow,
	type MeanwhileRow,
	type SeenServerRow,
	sumModelCallsMeanwhile,
	sumToolCalls,
} from './tool-insight-repository.ts'
import { readOverlaps, readToolSelection } from './tool-selection.ts'

type InvalidRow = OutputOf<(typeof spotlightMcpOperations)['invalid_arguments']>['invalid_arguments'][number]

/** The arguments that servers refused, most frequent first. */
async function readInvalidArguments(
	context: InsightContext,
	asked: InsightRequest,
): Promise<Findings<InvalidRow>> {
	const [found, sums] = await Promise.all([
		findInvalidArguments(context, asked),
		sumToolCalls(context, asked),
	])
	const calls = new Map<string, number>()
	for (const { server, tool, calls: more } of sums) {
		const key = `${server} ${tool}`
		calls.set(key, (calls.get(key) ?? 0) + Number(more))
	}
	return {
		rows: found.map((row) => presentInvalid(row, calls.get(`${row.server} ${row.tool}`) ?? 0)),
		total: Number(found[0]?.found ?? 0),
		truncated: false,
	}
}

function presentInvalid(row: InvalidArgumentRow, calls: number): InvalidRow {
	const failures = Number(row.failures)
	return {
		server: { id: row.server, name: row.server_label },
		tool: row.tool,
		field: row.field || null,
		failures,
		calls,
		failure_rate: calls === 0 ? 1 : failures / calls,
		agents: Number(row.agents),
		last_at: toIso(Number(row.last_ms)),
		trace_id: row.trace,
	}
}

type RepeatedRow = OutputOf<(typeof spotlightMcpOperations)['retry_loops']>['retry_loops'][number]

/** The default for the minimum number of calls in a loop. */
const fewest = 3

/** Runs of the same call, longest first, with the cost of the agent's models in the meantime. */
async function readRetryLoops(
	context: InsightContext,
	asked: InsightRequest,
): Promise<Findings<RepeatedRow>> {
	const loops = await findLoops(context, asked, asked.min_calls ?? fewest)
	const meanwhile = loops.length === 0 ? [] : await sumModelCallsMeanwhile(context, asked, loops)
	const byPlace = new Map(meanwhile.map((row) => [Number(row.loop), row]))
	return {
		rows: loops.map((loop, place) => presentLoop(loop, byPlace.get(place))),
		total: Number(loops[0]?.found ?? 0),
		truncated: false,
	}
}

function presentLoop(loop: LoopRow, meanwhile: MeanwhileRow | undefined): RepeatedRow {
	return {
		agent: { id: loop.agent, name: loop.agent_label },
		server: { id: loop.server, name: loop.server_label },
		tool: loop.tool,
		calls: Number(loop.calls),
		errors: Number(loop.errors),
		started_at: toIso(Number(loop.first_ms)),
		ended_at: toIso(Number(loop.end_ms)),
		in_calls_ms: Number(loop.in_calls_ns) / 1e6,
		model_calls: Number(meanwhile?.calls ?? 0),
		...presentMoney('model_cost', meanwhile?.cost_nano_usd ?? '0'),
		last_status: loop.last_status,
		trace_id: loop.trace,
	}
}

type Row = OutputOf<(typeof spotlightMcpOperations)['unregistered_servers']>['unregistered_servers'][number]

/** Maximum number of names per answer. */
const maxNames = 10_000

/** Servers that are named in telemetry but not registered, those with the most calls first. */
async function readUnregisteredServers(
	context: InsightContext,
	asked: InsightRequest,
): Promise<Findings<Row>> {
	const seen = await findSeenServers(context, asked, maxNames)
	const own = hostOf(context.publicAddress())
	const strangers = seen.filter(({ seen_as, name }) => seen_as === 'service' || name !== own)
	const byHost = new Map(
		context.servers.list(asked.workspaceId).flatMap((server) => {
			const host = hostOf(server.url)
			return host === null ? [] : [[host, server] as const]
		}),
	)
	return {
		rows: strangers.slice(0, asked.limit).map((row) => present(row, byHost)),
		total: strangers.length,
		truncated: seen.length === maxNames,
	}
}

/** `host:port` as in telemetry; null if it is not a web address. */
function hostOf(url: string): string | null {
	const { protocol, hostname, port } = new URL(url)
	if (protocol !== 'http:' && protocol !== 'https:') return null
	return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}

function present(row: SeenServerRow, byHost: ReadonlyMap<string, ServerEntry>): Row {
	const known = row.seen_as === 'address' ? byHost.get(row.name) : undefined
	return {
		seen_as: row.seen_as,
		name: row.name,
		registered_as: known ? { id: known.id, name: known.name } : null,
		calls: Number(row.calls),
		errors: Number(row.errors),
		tools: Number(row.tools),
		callers: row.callers,
		first_seen_at: toIso(Number(row.first_ms)),
		last_seen_at: toIso(Number(row.last_ms)),
		trace_id: row.trace,
	}
}

/** The readers of the insights, by the name of their list. */
const readers = {
	tool_selection: readToolSelection,
	definition_changes: readDefinitionChanges,
	invalid_arguments: readInvalidArguments,
	retry_loops: readRetryLoops,
	overlaps: readOverlaps,
	unregistered_servers: readUnregisteredServers,
} satisfies Record<string, (context: InsightContext, asked: InsightRequest) => Promise<object>>

type ExportQuery = keyof typeof readers
/** An insight as requested in the URL. */
type AskedFile = Omit<InsightRequest, 'workspaceId' | 'range'> & { start?: string; end?: string }

const readQuery = createQueryReader(spotlightMcpExport.query)

const contentTypes = {
	csv: 'text/csv; charset=utf-8; header=present',
	jsonl: 'application/x-ndjson; charset=utf-8',
} as const

/** The rows of an insight as a file. All of them are in memory, so the limit of the list applies to the file. */
function exportRoute(
	read: (insight: ExportQuery, asked: AskedFile, context: RequestContext) => Promise<{ rows: object[] }>,
): Route {
	const { id, method, path, access } = spotlightMcpExport
	return {
		...{ id, method, path, access, family: 'api' },
		handle: async (request, response, context) => {
			const { question: insight, format, ...asked } = readQuery(context.search)
			const { rows } = await read(insight, asked, context)
			response.writeHead(200, {
				'content-type': contentTypes[format],
				'content-disposition': `attachment; filename="${insight.replaceAll('_', '-')}.${format}"`,
				'cache-control': 'no-store',
			})
			response.end(request.method === 'HEAD' ? '' : format === 'csv' ? toCsv(rows) : toLines(rows))
		},
	}
}

function toLines(rows: readonly object[]): string {
	return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

type Cell = string | number | null

/** Nested fields have separate columns: `agent.id`, `agent.name`. */
export function toCsv(rows: readonly object[]): string {
	const flat = rows.map((row) => new Map(cellsOf(row)))
	const columns = [...new Set(flat.flatMap((cells) => [...cells.keys()]))]
	const lines = flat.map((cells) => csvLine(columns.map((name) => cells.get(name) ?? null)))
	return [csvLine(columns), ...lines].join('')
}

function cellsOf(row: object, before = ''): [string, Cell][] {
	return Object.entries(row).flatMap(([name, value]): [string, Cell][] => {
		if (Array.isArray(value)) return [[before + name, value.join(', ')]]
		if (typeof value === 'object' && value !== null) return cellsOf(value, `${before}${name}.`)
		return [[before + name, typeof value === 'boolean' ? String(value) : (value as Cell)]]
	})
}

type InsightQuery = keyof typeof readers

/** Opens the insights about servers and their tools, which combine calls and definitions. */
export function openToolInsights(context: InsightContext): { operations: BoundOperation[]; routes: Route[] } {
	const toRequest = ({ start, end, ...query }: AskedFile, request: RequestContext): InsightRequest => ({
		...query,
		workspaceId: principalIn(request).workspaceId,
		range: readTimeRange({ ...(start && { start }), ...(end && { end }) }, context.clock.nowMs()),
	})
	const find = (insight: InsightQuery, asked: InsightRequest): Promise<Findings<object>> =>
		readers[insight](context, asked)
	const answer = async <Q extends InsightQuery>(insight: Q, query: AskedFile, request: RequestContext) => {
		const asked = toRequest(query, request)
		const { rows, ...rest } = await find(insight, asked)
		const { startMs, endMs } = asked.range
		const found = { start: toIso(startMs), end: toIso(endMs), [insight]: rows, ...rest }
		return found as unknown as OutputOf<(typeof spotlightMcpOperations)[Q]>
	}
	return {
		operations: bind(spotlightMcpOperations, {
			tool_selection: ({ query, context: request }) => answer('tool_selection', query, request),
			definition_changes: ({ query, context: request }) => answer('definition_changes', query, request),
			invalid_arguments: ({ query, context: request }) => answer('invalid_arguments', query, request),
			retry_loops: ({ query, context: request }) => answer('retry_loops', query, request),
			overlaps: ({ query, context: request }) => answer('overlaps', query, request),
			unregistered_servers: ({ query, context: request }) => answer('unregistered_servers', query, request),
		}),
		routes: [exportRoute((insight, query, request) => find(insight, toRequest(query, request)))],
	}
}
