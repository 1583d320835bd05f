import type { TimeRange } from '../../../platform/time-range.ts'
import { allJudged, type Judged } from '../counted-calls.ts'
import type { QueryStore } from '../repository.ts'
import { findReopened } from './open-traces.ts'
import { type CleanHour, planReads, type ReadPlan } from './plan-reads.ts'
import { findHours } from './repository.ts'

/** How a question about calls is read. */
export interface QuestionPlan extends ReadPlan {
	/** Rolls of open hours that have rows which do not count any more. */
	reopened: CleanHour[]
	judged: Judged
}

/** The plan for calls as they are stored now; none of its whole hours lies on both sides of one of `splits`. */
export async function planQuestion(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	splits: readonly number[] = [],
): Promise<QuestionPlan> {
	// Before anything is read: a join that is written meanwhile may hide a call, and never counts one twice.
	const judged = store.judged?.() ?? allJudged
	const plan = planReads(range, await findHours(store, workspaceId, range), splits)
	const reopened = plan.open ? await findReopened(store, workspaceId, plan.open) : []
	const isKept = (roll: CleanHour) => !reopened.some((other) => isSame(roll, other))
	return { ...plan, whole: plan.whole.filter(isKept), parts: plan.parts.filter(isKept), reopened, judged }
}

const isSame = (a: CleanHour, b: CleanHour) => a.startMs === b.startMs && a.version === b.version
