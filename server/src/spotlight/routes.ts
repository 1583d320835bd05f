import { spotlightOperations } from '@signalbox/contract'
import type { Clock } from '../platform/clock.ts'
import { type BoundOperation, bind, principalIn } from '../platform/http/index.ts'
import { readTimeRange } from '../platform/time-range.ts'
import { readOverview } from './overview.ts'
import type { QueryStore } from './repository.ts'
import { readTimeseries } from './timeseries.ts'

interface SpotlightDependencies {
	telemetry: QueryStore
	clock: Clock
}

/** Questions asked of telemetry. */
export function openSpotlight({ telemetry, clock }: SpotlightDependencies): { operations: BoundOperation[] } {
	return {
		operations: bind(spotlightOperations, {
			overview: ({ query, context }) =>
				readOverview(telemetry, principalIn(context).workspaceId, readTimeRange(query, clock.nowMs())),
			timeseries: ({ query, context }) =>
				readTimeseries(telemetry, principalIn(context).workspaceId, readTimeRange(query, clock.nowMs())),
		}),
	}
}
