import { type QueryOf, releaseOperations, spotlightOperations } from '@signalbox/contract'
import { createPriceCall, type PriceCall } from '../ledger/index.ts'
import type { TelemetryStore } from '../platform/clickhouse/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sealer } from '../platform/crypto/seal.ts'
import {
	type BoundOperation,
	bind,
	principalIn,
	type RequestContext,
	type Route,
} from '../platform/http/index.ts'
import type { Jobs } from '../platform/jobs/index.ts'
import { parseDuration, readTimeRange } from '../platform/time-range.ts'
import { type SpotlightReads, spotlightReads } from './ask.ts'
import type { groupings } from './breakdowns.ts'
import { openCacheMisses } from './cache-misses/routes.ts'
import { openCallViews } from './call-views/routes.ts'
import { exportRoute } from './export/export-route.ts'
import type { GroupSums } from './group-repository.ts'
import { readOverview } from './overview.ts'
import { presentGroup } from './present-groups.ts'
import { readBreakdown } from './read-breakdown.ts'
import { readScores } from './read-scores.ts'
import { readUsage } from './read-usage.ts'
import { readReleases } from './releases/read-releases.ts'
import { keepRollups } from './rollups/roll-hours.ts'
import { openSessions } from './sessions/routes.ts'
import { readTimeseries } from './timeseries.ts'
import { openToolCosts } from './tool-costs/routes.ts'

interface SpotlightDependencies {
	telemetry: Pick<TelemetryStore, 'query' | 'command'>
	clock: Clock
	jobs: Jobs
	sealer: Sealer
	/** By default by the table that comes with the program. */
	priceCall?: PriceCall
}

/** Questions asked of telemetry. */
export function openSpotlight({
	telemetry,
	clock,
	jobs,
	sealer,
	priceCall = createPriceCall(),
}: SpotlightDependencies): SpotlightReads & { operations: BoundOperation[]; routes: Route[] } {
	keepRollups(jobs, telemetry)
	const rangeOf = (query: { start?: string; end?: string }) => readTimeRange(query, clock.nowMs())
	const breakDown = <Row>(
		noun: keyof typeof groupings,
		context: RequestContext,
		query: QueryOf<(typeof spotlightOperations)['tools']>,
		present: (sums: GroupSums) => Row,
	) => {
		const { workspaceId } = principalIn(context)
		return readBreakdown(telemetry, workspaceId, rangeOf(query), noun, query, present)
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
					return readOverview(telemetry, workspaceId, rangeOf(query), filter, asked)
				},
				timeseries: ({ query, context }) => {
					const { start: _start, end: _end, interval, interval_ms, compare, group_by, ...filter } = query
					const { workspaceId } = principalIn(context)
					return readTimeseries(telemetry, workspaceId, rangeOf(query), filter, {
						intervalMs: interval_ms ?? (interval === undefined ? undefined : parseDuration(interval)),
						compare: compare === 'previous',
						groupBy: group_by,
					})
				},
				usage: ({ query, context }) =>
					readUsage(telemetry, principalIn(context).workspaceId, rangeOf(query), query),
				tools: async ({ query, context }) => {
					const { rows: tools, ...rest } = await breakDown('tools', context, query, presentGroup.tools)
					return { ...rest, tools }
				},
				servers: async ({ query, context }) => {
					const { rows: servers, ...rest } = await breakDown('servers', context, query, presentGroup.servers)
					return { ...rest, servers }
				},
				agents: async ({ query, context }) => {
					const { rows: agents, ...rest } = await breakDown('agents', context, query, presentGroup.agents)
					return { ...rest, agents }
				},
				models: async ({ query, context }) => {
					const { rows: models, ...rest } = await breakDown('models', context, query, presentGroup.models)
					return { ...rest, models }
				},
				users: async ({ query, context }) => {
					const { rows: users, ...rest } = await breakDown('users', context, query, presentGroup.users)
					return { ...rest, users }
				},
				clients: async ({ query, context }) => {
					const { rows: clients, ...rest } = await breakDown('clients', context, query, presentGroup.clients)
					return { ...rest, clients }
				},
				sessions: async ({ query, context }) => {
					const { rows: sessions, ...rest } = await breakDown(
						'sessions',
						context,
						query,
						presentGroup.sessions,
					)
					return { ...rest, sessions }
				},
				scores: ({ query, context }) =>
					readScores(telemetry, principalIn(context).workspaceId, rangeOf(query), query),
				errors: async ({ query, context }) => {
					const { rows: errors, ...rest } = await breakDown('errors', context, query, presentGroup.errors)
					return { ...rest, errors }
				},
			}),
		],
	}
}
