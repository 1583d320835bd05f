import {
	type Asked,
	type OutputOf,
	type QueryOf,
	releaseOperations,
	type savedViewOperations,
	spotlightOperations,
} from '@signalbox/contract'
import { createPriceCall, type PriceCall } from '../../ledger/ledger.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import { type Clock, toIso } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext, type Route } from '../../platform/http/route.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Log } from '../../platform/log.ts'
import { parseDuration, readTimeRange, type TimeRange } from '../../platform/time-range.ts'
import {
	type NewestSource,
	needsSpans,
	rollups,
	storedExceptionMessage,
	withNewest,
} from '../../telemetry/index.ts'
import { listAmbiguous } from './ambiguous-repository.ts'
import {
	type CallFigures,
	type groupings,
	presentGroup,
	readBreakdown,
	readFigures,
	readOverview,
	readUsage,
	readWindows,
} from './breakdowns.ts'
import { openCacheMisses } from './cache-misses/cache-misses.ts'
import { type CallFilter, filterSql, readGroupBy, separateFields } from './call-filter.ts'
import { needsOf, sumsFor, type Windows } from './call-sums-repository.ts'
import { openCallViews } from './call-views/call-views.ts'
import type { QueryStore } from './counted-calls.ts'
import { exportRoute } from './export/export-route.ts'
import { countValues, findExceptions, type GroupSums } from './group-repository.ts'
import { Arrivals, type StoredRows } from './joins/arrivals.ts'
import { Joiner } from './joins/join-arrived.ts'
import { readReleases } from './release-repository.ts'
import { shareRolls } from './rollups/plan-query.ts'
import { KeptBuckets } from './rollups/plan-reads.ts'
import { keepRollups } from './rollups/roll-hours.ts'
import { readScores } from './score-repository.ts'
import { openSessions } from './sessions/read-session.ts'
import { readTimeseries } from './timeseries.ts'
import { openToolCosts } from './tool-costs/tool-costs.ts'

export { openSharing } from './sharing/sharing.ts'
export { openToolInsights } from './tool-insights/tool-insights.ts'

type Operation = (typeof spotlightOperations)['facets']

/** Columns with ids, and the columns of their names. */
const labelsOf: Readonly<Record<string, string>> = {
	agent: 'agent_name',
	agent_uuid: 'agent_name',
	server: 'spans.server_name',
}

/** The most frequent values of fields. Each field is counted under the conditions on the other ones. */
export async function readFacets(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ fields: asked, of, limit, start: _start, end: _end, ...filter }: QueryOf<Operation>,
): Promise<OutputOf<Operation>> {
	const names = [...new Set(asked)]
	const groupBy = readGroupBy(names)
	const fields = names.map((field, at) => ({
		...{ at, field, value: groupBy.by[`group_${at}`] ?? '', label: labelsOf[field] ?? "''" },
	}))
	const query = { of, limit, filter, parameters: groupBy.parameters }
	const isOfSpans = names.some(needsSpans)
	// Each field is read from the smallest sum table that has it and the columns of its conditions.
	const parts = Map.groupBy(fields, ({ field, value, label }) => {
		const { sql } = filterSql(separateFields(filter, [field]).others)
		return of === 'calls' && !isOfSpans ? sumsFor(needsOf(filter), [value, label, sql]) : undefined
	})
	const sharing = { ...store, knownRolls: new Map() }
	const found = await Promise.all(
		[...parts].map(([sums, part]) =>
			countValues(sharing, workspaceId, range, part, { ...query, isOfSums: sums !== undefined }),
		),
	)
	const byField = Map.groupBy(found.flat(), ({ at }) => Number(at))
	return {
		start: toIso(range.startMs),
		end: toIso(range.endMs),
		facets: names.map((field, at) => {
			const found = byField.get(at) ?? []
			return {
				field,
				total: Number(found[0]?.values ?? 0),
				values: found.map(({ value, label, count, errors }) => ({
					...{ value, label: label || null, count: Number(count), errors: Number(errors) },
				})),
			}
		}),
	}
}

/** Shares answers between equal queries of a workspace: concurrent ones are computed once. */
type ShareAnswers = <Answer>(
	asked: { workspaceId: string; read: string; query: object },
	answer: () => Promise<Answer>,
) => Promise<Answer>

interface Known {
	workspaceId: string
	answer: Promise<unknown>
	version: number | null
	/** See `hoursChanged`. */
	changes: number
	askedMs: number
	/** Null until the answer is complete. */
	tookMs: number | null
}

/** While nothing arrives. Limited, because a range that ends now moves on, and other programs may erase or reprice. */
const keptMs = 5000
/**
 * While spans arrive, an answer is cached for this many times as long as it took, counted from the query and at most a second; one
 * that took longer than half a second, for twice as long as it took. Otherwise no answer that takes a second would be cached, just
 * when the engine has the most to do.
 */
const timesAsLong = 4
const maxWhileArrivingMs = 1000
const forMsWhileArriving = (tookMs: number) =>
	Math.min(timesAsLong * tookMs, Math.max(maxWhileArrivingMs, 2 * tookMs))
const maxAnswers = 300

/**
 * A query that equals a running one gets the same answer, and so does a later one while the figures are unchanged: eight viewers of a
 * screen cost the engine as much as one. `versionOf` changes when something arrived for a workspace; while it is null nothing is cached.
 * Deleting spans or pricing calls again invalidates everything, also what is just being computed.
 */
export function shareAnswers(
	versionOf: (workspaceId: string) => number | null,
	clock: Pick<Clock, 'nowMs'>,
): ShareAnswers {
	const known = new Map<string, Known>()
	const isGood = ({ workspaceId, version: of, changes, askedMs, tookMs }: Known) => {
		if (changes !== rollups.hoursChanged()) return false
		if (tookMs === null) return true
		if (of === null) return false
		const now = versionOf(workspaceId)
		const agoMs = Math.abs(clock.nowMs() - askedMs)
		const forMs = of === now ? keptMs : forMsWhileArriving(tookMs)
		return now !== null && agoMs < forMs
	}
	return <Answer>(asked: { workspaceId: string }, answer: () => Promise<Answer>) => {
		const { workspaceId } = asked
		const query = JSON.stringify(asked)
		const found = known.get(query)
		if (found && isGood(found)) return found.answer as Promise<Answer>
		known.delete(query)
		for (const [old, one] of known) if (known.size >= maxAnswers || !isGood(one)) known.delete(old)
		const askedMs = clock.nowMs()
		const version = versionOf(workspaceId)
		const changes = rollups.hoursChanged()
		const one: Known = { workspaceId, version, changes, askedMs, tookMs: null, answer: answer() }
		known.set(query, one)
		one.answer.then(
			() => {
				one.tookMs = clock.nowMs() - askedMs
			},
			() => {
				if (known.get(query) === one) known.delete(query)
			},
		)
		return one.answer as Promise<Answer>
	}
}

type Answer = OutputOf<(typeof savedViewOperations)['answer']>['answer']

/** For other areas: saved views, and alerts. */
interface SpotlightReads {
	/** The answer of `GET /v1/spotlight/{read}`. */
	ask(workspaceId: string, asked: Asked): Promise<Answer>
	/** The figures of the overview. Sessions and users are counted only if requested, and are 0 otherwise. */
	readFigures(
		workspaceId: string,
		range: TimeRange,
		filter?: CallFilter,
		visitors?: boolean,
	): Promise<CallFigures>
	/** The same for many windows. */
	readWindows(
		workspaceId: string,
		windows: Windows,
		filter?: CallFilter,
		visitors?: boolean,
	): Promise<CallFigures[]>
}

/** Each rejects with `store_unavailable` while the telemetry store does not answer. */
function spotlightReads(telemetry: QueryStore, clock: Clock): SpotlightReads {
	return {
		ask: async (workspaceId, { read, range: back, filter, compare, sort }) => {
			const range = readTimeRange({ start: `-${back}` }, clock.nowMs())
			if (read === 'overview') return readOverview(telemetry, workspaceId, range, filter, { compare })
			if (read === 'timeseries') return readTimeseries(telemetry, workspaceId, range, filter)
			const query = { ...filter, sort, limit: rowsOfList }
			const present = presentGroup[read]
			const wanted = { workspaceId, range, noun: read, query, present }
			const { rows, ...rest } = await readBreakdown<object>(telemetry, wanted)
			return { ...rest, [read]: rows } as unknown as Answer
		},
		readFigures: (...of) => readFigures(telemetry, ...of),
		readWindows: (...of) => readWindows(telemetry, ...of),
	}
}

const rowsOfList = 50
/** A dashboard polls every few seconds. */
const watchedForMs = 30_000

/** Groups of errors; those whose newest case has no message of its own get that of its exception. */
async function withExceptions<Row extends ReturnType<typeof presentGroup.errors>>(
	store: QueryStore,
	workspaceId: string,
	rows: readonly Row[],
): Promise<Row[]> {
	const open = rows.filter(({ message }) => message === '').map(({ trace_id }) => trace_id)
	const events = await findExceptions(store, workspaceId, open)
	return rows.map((row) => {
		const own = events.get(`${row.trace_id} ${row.error_type ?? ''}`)
		return row.message === '' && own ? { ...row, message: storedExceptionMessage(own) } : row
	})
}

type ListQuery = QueryOf<(typeof spotlightOperations)['tools']>

interface SpotlightDependencies {
	telemetry: Pick<TelemetryStore, 'query' | 'command' | 'insertRowBinary'>
	/** Absent: other programs may write to the store at any time. */
	stored?: StoredRows | undefined
	/** Acknowledged rows that are not stored yet; absent if there are none. */
	recorder?: NewestSource | undefined
	/** Whether several programs join what they store. */
	isShared?: boolean
	clock: Clock
	jobs: Jobs
	log: Log
	sealer: Sealer
	/** Default: the price table that is part of the program. */
	priceCall?: PriceCall
}

/** Notes reads of figures, except those of alerts, which repeat by themselves and use what is stored. */
function countLooks({
	recorder,
	joiner,
	clock,
}: Pick<SpotlightDependencies, 'recorder' | 'clock'> & { joiner: Joiner }) {
	let lookedMs = Number.NEGATIVE_INFINITY
	const note = async (): Promise<boolean> => {
		lookedMs = clock.nowMs()
		return (await recorder?.watched()) ?? false
	}
	return {
		isWatched: () => clock.nowMs() - lookedMs < watchedForMs,
		noting:
			(query: QueryStore['query']): QueryStore['query'] =>
			(...asked) => {
				void note()
				return query(...asked)
			},
		before:
			(share: ShareAnswers): ShareAnswers =>
			async (asked, answer) => {
				// Rows that arrived while nobody was reading are counted once their views are joined.
				if (await note()) await joiner.join().catch(() => null)
				return share(asked, answer)
			},
	}
}

/** Opens Spotlight: queries of telemetry. */
export function openSpotlight({
	telemetry: store,
	stored,
	recorder,
	isShared = false,
	clock,
	jobs,
	log,
	sealer,
	priceCall = createPriceCall(),
}: SpotlightDependencies): SpotlightReads & {
	operations: BoundOperation[]
	routes: Route[]
	/** Caches nothing: a session must show a call that has just ended. */
	joinEqual: ShareAnswers
} {
	const joinedBy = isShared ? 'any' : stored ? 'us' : 'nobody'
	const joiner = new Joiner(store, clock, joinedBy, stored?.takeArrived)
	const looks = countLooks({ recorder, joiner, clock })
	keepRollups(jobs, store, { joiner, arrivals: new Arrivals(stored), clock, log, isShared, ...looks })
	const versionOf = (workspaceId: string) => joiner.versionOf(workspaceId)
	const unwatched: QueryStore = {
		query: store.query,
		countable: () => joiner.countable(),
		shareRolls: shareRolls(versionOf, clock),
		keptBuckets: new KeptBuckets(),
	}
	const telemetry: QueryStore = { ...unwatched, query: looks.noting(store.query) }
	const newest = recorder && withNewest(telemetry, recorder)
	const rangeOf = (query: { start?: string; end?: string }) => readTimeRange(query, clock.nowMs())
	const share = looks.before(shareAnswers(versionOf, clock))
	const joinEqual = shareAnswers(() => null, clock)
	/** The lists by noun: `{tools: […], total, …}`. */
	const list =
		<Noun extends keyof typeof groupings, Row>(noun: Noun, present: (sums: GroupSums) => Row) =>
		({ query, context }: { query: ListQuery; context: RequestContext }) => {
			const { workspaceId } = principalIn(context)
			return share({ workspaceId, read: noun, query }, async () => {
				const wanted = { workspaceId, range: rangeOf(query), noun, query, present }
				const { rows, ...rest } = await readBreakdown(telemetry, wanted)
				return { ...rest, [noun]: rows } as typeof rest & Record<Noun, typeof rows>
			})
		}
	const listErrors = list('errors', presentGroup.errors)
	return {
		...spotlightReads(unwatched, clock),
		joinEqual,
		routes: [exportRoute({ telemetry, clock })],
		operations: [
			...openSessions({ telemetry, newest, sealer, joinEqual }),
			...openCallViews({ telemetry }),
			...openCacheMisses({ telemetry, clock, priceCall }),
			...openToolCosts({ telemetry, clock }),
			...bind(releaseOperations, {
				releases: ({ query, context }) =>
					readReleases(telemetry, principalIn(context).workspaceId, rangeOf(query)),
			}),
			...bind(spotlightOperations, {
				overview: ({ query, context }) => {
					const { start: _start, end: _end, compare, group_by, ...filter } = query
					const { workspaceId } = principalIn(context)
					const asked = { compare: compare === 'previous', groupBy: group_by }
					return share({ workspaceId, read: 'overview', query }, () =>
						readOverview(telemetry, workspaceId, rangeOf(query), filter, asked),
					)
				},
				timeseries: ({ query, context }) => {
					const { start: _start, end: _end, interval, interval_ms, compare, group_by, ...filter } = query
					const { workspaceId } = principalIn(context)
					const asked = {
						intervalMs: interval_ms ?? (interval === undefined ? undefined : parseDuration(interval)),
						compare: compare === 'previous',
						groupBy: group_by,
					}
					return share({ workspaceId, read: 'timeseries', query }, () =>
						readTimeseries(telemetry, workspaceId, rangeOf(query), filter, asked),
					)
				},
				usage: ({ query, context }) => {
					const { workspaceId } = principalIn(context)
					return share({ workspaceId, read: 'usage', query }, () =>
						readUsage(telemetry, workspaceId, rangeOf(query), query),
					)
				},
				facets: ({ query, context }) => {
					const { workspaceId } = principalIn(context)
					return share({ workspaceId, read: 'facets', query }, () =>
						readFacets(telemetry, workspaceId, rangeOf(query), query),
					)
				},
				tools: list('tools', presentGroup.tools),
				resources: list('resources', presentGroup.resources),
				prompts: list('prompts', presentGroup.prompts),
				servers: list('servers', presentGroup.servers),
				agents: list('agents', presentGroup.agents),
				models: list('models', presentGroup.models),
				users: list('users', presentGroup.users),
				clients: list('clients', presentGroup.clients),
				sessions: list('sessions', presentGroup.sessions),
				errors: async (asked) => {
					const found = await listErrors(asked)
					const { workspaceId } = principalIn(asked.context)
					return { ...found, errors: await withExceptions(telemetry, workspaceId, found.errors) }
				},
				ambiguous: ({ query, context }) => {
					const { start: _start, end: _end, ...asked } = query
					return listAmbiguous(telemetry, principalIn(context).workspaceId, rangeOf(query), asked)
				},
				scores: ({ query, context }) =>
					readScores(telemetry, principalIn(context).workspaceId, rangeOf(query), query),
			}),
		],
	}
}
