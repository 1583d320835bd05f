import { type QueryOf, releaseOperations, spotlightOperations } from '@signalbox/contract'
import { createPriceCall, type PriceCall } from '../../ledger/index.ts'
import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import {
	type BoundOperation,
	bind,
	principalIn,
	type RequestContext,
	type Route,
} from '../../platform/http/index.ts'
import type { Jobs } from '../../platform/jobs/index.ts'
import type { Log } from '../../platform/log.ts'
import { parseDuration, readTimeRange } from '../../platform/time-range.ts'
import { listAmbiguous } from './ambiguous-repository.ts'
import { type SpotlightReads, spotlightReads } from './ask.ts'
import { type groupings, presentGroup, readBreakdown, readUsage } from './breakdowns.ts'
import { openCacheMisses } from './cache-misses/cache-misses.ts'
import { openCallViews } from './call-views/call-views.ts'
import type { QueryStore } from './counted-calls.ts'
import { exportRoute } from './export/export-route.ts'
import { readFacets } from './facets.ts'
import type { GroupSums } from './group-repository.ts'
import { Arrivals, type CountStored } from './joins/arrivals.ts'
import { Joiner } from './joins/join-arrived.ts'
import { readOverview } from './overview.ts'
import { readReleases } from './release-repository.ts'
import { keepRollups } from './rollups/roll-hours.ts'
import { readScores } from './score-repository.ts'
import { openSessions } from './sessions/read-session.ts'
import { shareAnswers } from './share-answers.ts'
import { readTimeseries } from './timeseries.ts'
import { openToolCosts } from './tool-costs/tool-costs.ts'

type ListQuery = QueryOf<(typeof spotlightOperations)['tools']>

interface SpotlightDependencies {
	telemetry: Pick<TelemetryStore, 'query' | 'command' | 'insertRowBinary'>
	/** Absent: other programs may write to the store at any time. */
	countStored?: CountStored | undefined
	/** Several programs join what they store. */
	isShared?: boolean
	clock: Clock
	jobs: Jobs
	log: Log
	sealer: Sealer
	/** By default by the table that comes with the program. */
	priceCall?: PriceCall
}

/** Questions asked of telemetry. */
export function openSpotlight({
	telemetry: store,
	countStored,
	isShared = false,
	clock,
	jobs,
	log,
	sealer,
	priceCall = createPriceCall(),
}: SpotlightDependencies): SpotlightReads & { operations: BoundOperation[]; routes: Route[] } {
	const joiner = new Joiner(store, clock, isShared ? 'any' : countStored ? 'us' : 'nobody')
	keepRollups(jobs, store, { joiner, arrivals: new Arrivals(countStored, clock), clock, log })
	const telemetry: QueryStore = { query: store.query, judged: () => joiner.judged() }
	const rangeOf = (query: { start?: string; end?: string }) => readTimeRange(query, clock.nowMs())
	const share = shareAnswers(() => joiner.version, clock)
	/** The lists by noun: `{tools: […], total, …}`. */
	const list =
		<Noun extends keyof typeof groupings, Row>(noun: Noun, present: (sums: GroupSums) => Row) =>
		({ query, context }: { query: ListQuery; context: RequestContext }) => {
			const { workspaceId } = principalIn(context)
			return share({ workspaceId, read: noun, query }, async () => {
				const { rows, ...rest } = await readBreakdown(
					telemetry,
					workspaceId,
					rangeOf(query),
					noun,
					query,
					present,
				)
				return { ...rest, [noun]: rows } as typeof rest & Record<Noun, typeof rows>
			})
		}
	return {
		...spotlightReads(telemetry, clock),
		routes: [exportRoute({ telemetry, clock })],
		operations: [
			...openSessions({ telemetry, sealer }),
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
				errors: list('errors', presentGroup.errors),
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
