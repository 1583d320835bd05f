import type { TelemetryStore } from '../../../platform/clickhouse/index.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import { areSeenElsewhere, findReopened, haveViews } from './open-traces.ts'
import { type CleanHour, type KnownHours, planReads, type ReadPlan } from './plan-reads.ts'
import { findHours } from './repository.ts'

/** How a question about calls is read. */
export interface QuestionPlan extends ReadPlan {
	/** Rolls of open hours that have rows which do not count any more. */
	reopened: CleanHour[]
	/** Whether a call of the open hours' traces may have several views. */
	haveViews: boolean
}

/** The plan for calls as they are stored now; none of its whole hours lies on both sides of one of `splits`. */
export async function planQuestion(
	store: Pick<TelemetryStore, 'query'>,
	workspaceId: string,
	range: TimeRange,
	splits: readonly number[] = [],
): Promise<QuestionPlan> {
	const hours = await findHours(store, workspaceId, range)
	const plan = planReads(range, hours, splits)
	if (!plan.open) return { ...plan, ...nothingOpen }
	const [reopened, isAcross, isSeenTwice] = await Promise.all([
		findReopened(store, workspaceId, plan.open),
		areSeenElsewhere(store, workspaceId, plan.open),
		haveViews(store, workspaceId, plan.open),
	])
	if (isAcross) return { ...planReads(range, withoutOpen(hours), splits), ...nothingOpen }
	const isKept = (roll: CleanHour) => !reopened.some((other) => isSame(roll, other))
	return {
		...plan,
		...{ whole: plan.whole.filter(isKept), parts: plan.parts.filter(isKept) },
		...{ reopened, haveViews: isSeenTwice },
	}
}

const nothingOpen = { reopened: [], haveViews: false }

const isSame = (a: CleanHour, b: CleanHour) => a.startMs === b.startMs && a.version === b.version

/** Open hours are read from the spans, like others that are behind. */
function withoutOpen({ clean, dirty, open }: KnownHours): KnownHours {
	const behind = [...dirty, ...open.map(({ startMs }) => startMs)].sort((a, b) => a - b)
	return { clean, dirty: behind, open: [] }
}
