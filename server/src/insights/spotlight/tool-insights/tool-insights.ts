import { type OutputOf, spotlightMcpExport, spotlightMcpOperations } from '@signalbox/contract'
import { presentMoney } from '../../../ledger/ledger.ts'
import { toIso } from '../../../platform/clock.ts'
import { type CsvCell, csvTable } from '../../../platform/csv.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { createQueryReader } from '../../../platform/http/read-body.ts'
import { principalIn, type RequestContext, type Route } from '../../../platform/http/route.ts'
import { readTimeRange, type TimeRange } from '../../../platform/time-range.ts'
import type { ServerEntry } from '../../../servers/servers.ts'
import { listChangingTools, type VersionTimes } from '../../../servers/tool-definitions/tool-definitions.ts'
import type { Findings, InsightContext, InsightRequest } from './tool-insight-context.ts'
import {
	findInvalidArguments,
	findLoops,
	findSeenServers,
	type InvalidArgumentRow,
	type LoopRow,
	type MeanwhileRow,
	type SeenServerRow,
	type Stretch,
	type StretchSums,
	sumModelCallsMeanwhile,
	sumStretches,
	sumToolCalls,
} from './tool-insight-repository.ts'
import { readOverlaps, readToolSelection } from './tool-selection.ts'

/** When a version of a definition was first and last offered, in milliseconds since 1970. */
interface SeenVersion {
	hash: string
	firstMs: number
	/** Infinite while it is offered. */
	lastMs: number
}

/** From when on a version was in force. */
interface InForce {
	hash: string
	fromMs: number
}

/**
 * Which version of one tool was in force when, oldest first, without equal neighbours: the newest of those that were offered at a
 * time, or otherwise the last one before. A server that returns to an older version is recognised by what it offers now.
 */
function versionsInForce(versions: readonly SeenVersion[]): InForce[] {
	const turns = versions.flatMap(({ firstMs, lastMs }) => [firstMs, lastMs]).filter(Number.isFinite)
	const inForce: InForce[] = []
	for (const fromMs of [...new Set(turns)].sort((a, b) => a - b)) {
		const { hash } = versionAt(versions, fromMs)
		if (hash !== inForce.at(-1)?.hash) inForce.push({ hash, fromMs })
	}
	return inForce
}

function versionAt(versions: readonly SeenVersion[], ms: number): SeenVersion {
	const begun = versions.filter(({ firstMs }) => firstMs <= ms)
	const offered = begun.filter(({ lastMs }) => ms < lastMs)
	return newest(offered.length > 0 ? offered : begun)
}

function newest(versions: readonly SeenVersion[]): SeenVersion {
	return versions.reduce((last, each) => (each.firstMs > last.firstMs ? each : last))
}

type ChangeRow = OutputOf<(typeof spotlightMcpOperations)['definition_changes']>['definition_changes'][number]
type Figures = ChangeRow['before']

/** Maximum number of versions per answer. */
const maxVersions = 20_000

interface Change {
	server: string
	tool: string
	before: InForce
	after: InForce
	/** When the next change follows. */
	untilMs: number
}

/** Changes of definitions in a range, newest first, with the figures of calls before and after. */
async function readDefinitionChanges(
	context: InsightContext,
	asked: InsightRequest,
): Promise<Findings<ChangeRow>> {
	const { workspaceId, range } = asked
	const times = { serverId: asked.server, limit: maxVersions }
	const versions = await listChangingTools(context.store.db, workspaceId, times)
	const found = changesOf(versions).filter(({ server, after: { fromMs } }) => {
		return fromMs >= range.startMs && fromMs < range.endMs && context.servers.get(server)
	})
	found.sort((a, b) => b.after.fromMs - a.after.fromMs || (keyOf(a) < keyOf(b) ? -1 : 1))
	const changes = found.slice(0, asked.limit)
	const stretches = changes.flatMap(stretchesOf)
	const sums = stretches.length === 0 ? [] : await sumStretches(context, asked, range, stretches)
	const figures = new Map(
		sums.map((each) => [keyOfStretch(stretches[Number(each.stretch)] as Stretch), each]),
	)
	return {
		rows: changes.map((change) => presentChange(context, range, change, figures)),
		total: found.length,
		truncated: versions.length === maxVersions,
	}
}

function changesOf(versions: readonly VersionTimes[]): Change[] {
	return [...Map.groupBy(versions, keyOfVersion).values()].flatMap((ofTool) => {
		const [{ server_id: server, name: tool }] = ofTool as [VersionTimes]
		const inForce = versionsInForce(ofTool.map(toSeen))
		return inForce.slice(1).map((after, at) => ({
			...{ server, tool, after },
			before: inForce[at] as InForce,
			untilMs: inForce[at + 2]?.fromMs ?? Number.POSITIVE_INFINITY,
		}))
	})
}

function toSeen({ hash, first_seen, last_seen, current_hash }: VersionTimes) {
	const lastMs = hash === current_hash ? Number.POSITIVE_INFINITY : last_seen
	return { hash, firstMs: first_seen, lastMs }
}

const keyOfVersion = ({ server_id, name }: VersionTimes) => `${server_id} ${name}`
const keyOf = ({ server, tool }: Pick<Stretch, 'server' | 'tool'>) => `${server} ${tool}`
const keyOfStretch = (stretch: Stretch) => `${stretch.fromMs} ${keyOf(stretch)}`

function stretchesOf({ server, tool, before, after }: Change): Stretch[] {
	return [before, after].map(({ fromMs }) => ({ server, tool, fromMs }))
}

function presentChange(
	{ servers }: InsightContext,
	range: TimeRange,
	change: Change,
	sums: ReadonlyMap<string, StretchSums>,
): ChangeRow {
	const [before, after] = [change.before, change.after].map((version, at) => {
		const untilMs = at === 0 ? change.after.fromMs : Math.min(change.untilMs, range.endMs)
		const since = toIso(Math.max(version.fromMs, range.startMs))
		const figures = presentSums(sums.get(keyOfStretch({ ...change, fromMs: version.fromMs })))
		return { hash: version.hash, since, until: toIso(untilMs), ...figures }
	}) as [Figures, Figures]
	return {
		server: { id: change.server, name: servers.get(change.server)?.name ?? '' },
		tool: change.tool,
		changed_at: toIso(change.after.fromMs),
		...{ before, after },
		error_rate_change: difference(before.error_rate, after.error_rate),
		p95_change_ms: difference(before.p95_ms, after.p95_ms),
	}
}

function presentSums(sums: StretchSums | undefined) {
	const calls = Number(sums?.calls ?? 0)
	const errors = Number(sums?.errors ?? 0)
	const hasTimes = sums !== undefined && sums.timed !== '0'
	return {
		...{ calls, errors },
		error_rate: calls === 0 ? null : errors / calls,
		p95_ms: hasTimes ? Number(sums.p95_ns) / 1e6 : null,
	}
}

function difference(before: number | null, after: number | null): number | null {
	return before === null || after === null ? null : after - before
}

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

type UnregisteredRow = OutputOf<
	(typeof spotlightMcpOperations)['unregistered_servers']
>['unregistered_servers'][number]

/** Maximum number of names per answer. */
const maxNames = 10_000

/** Servers that are named in telemetry but not registered, those with the most calls first. */
async function readUnregisteredServers(
	context: InsightContext,
	asked: InsightRequest,
): Promise<Findings<UnregisteredRow>> {
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
		rows: strangers.slice(0, asked.limit).map((row) => presentUnregistered(row, byHost)),
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

function presentUnregistered(row: SeenServerRow, byHost: ReadonlyMap<string, ServerEntry>): UnregisteredRow {
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
		...{ id, method, path, access, family: 'api', streams: true },
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

/** Nested fields have separate columns: `agent.id`, `agent.name`. */
export function toCsv(rows: readonly object[]): string {
	return csvTable(rows.map((row) => new Map(cellsOf(row))))
}

function cellsOf(row: object, before = ''): [string, CsvCell][] {
	return Object.entries(row).flatMap(([name, value]): [string, CsvCell][] => {
		if (Array.isArray(value)) return [[before + name, value.join(', ')]]
		if (typeof value === 'object' && value !== null) return cellsOf(value, `${before}${name}.`)
		return [[before + name, typeof value === 'boolean' ? String(value) : (value as CsvCell)]]
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
