import type { Asked, OutputOf, questionOperations } from '@signalbox/contract'
import type { Clock } from '../../platform/clock.ts'
import { readTimeRange, type TimeRange } from '../../platform/time-range.ts'
import { presentGroup, readBreakdown } from './breakdowns.ts'
import type { CallFilter } from './call-filter.ts'
import type { QueryStore } from './counted-calls.ts'
import type { CallFigures } from './figures.ts'
import { readFigures, readOverview } from './overview.ts'
import { readTimeseries } from './timeseries.ts'

type Answer = OutputOf<(typeof questionOperations)['answer']>['answer']

/** For other areas: questions that were saved, and figures that are watched. */
export interface SpotlightReads {
	/** As `GET /v1/spotlight/{read}` answers now. */
	ask(workspaceId: string, asked: Asked): Promise<Answer>
	/** As the overview has them; sessions and users are counted only where they are asked for, and are 0 else. */
	readFigures(
		workspaceId: string,
		range: TimeRange,
		filter?: CallFilter,
		visitors?: boolean,
	): Promise<CallFigures>
}

/** Each rejects with `store_unavailable` while the telemetry store does not answer. */
export function spotlightReads(telemetry: QueryStore, clock: Clock): SpotlightReads {
	return {
		ask: async (workspaceId, { read, range: back, filter, compare, sort }) => {
			const range = readTimeRange({ start: `-${back}` }, clock.nowMs())
			if (read === 'overview') return readOverview(telemetry, workspaceId, range, filter, { compare })
			if (read === 'timeseries') return readTimeseries(telemetry, workspaceId, range, filter)
			const query = { ...filter, sort, limit: rowsOfList }
			const present = presentGroup[read]
			const { rows, ...rest } = await readBreakdown<object>(
				telemetry,
				workspaceId,
				range,
				read,
				query,
				present,
			)
			return { ...rest, [read]: rows } as unknown as Answer
		},
		readFigures: (...of) => readFigures(telemetry, ...of),
	}
}

const rowsOfList = 50
