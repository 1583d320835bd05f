import type { TimeRange } from '../platform/time-range.ts'
import { columnsOfConditions, rollups } from '../telemetry/index.ts'
import { areAcrossTraces, inStretches, selectCountedCalls, stretchParameters } from './counted-calls.ts'
import type { QueryStore } from './repository.ts'
import { type CleanHour, planReads, type ReadPlan } from './rollups/plan-reads.ts'
import { findCleanHours } from './rollups/repository.ts'

/** Something to select from, and the parameters of it. */
export interface Source {
	/** `(SELECT … UNION ALL SELECT …) AS spans`, with the columns of the spans. */
	from: string
	parameters: Record<string, unknown>
}

const calls = rollups.countedCallNames.join(', ')
const visitors = 'workspace_id, session_id, user_id'

/** The calls of a range, each once: those of hours that are rolled up from the rollup, the others from the spans. */
export async function callSource(store: QueryStore, workspaceId: string, range: TimeRange): Promise<Source> {
	const plan = planReads(range, await findCleanHours(store, workspaceId, range))
	return sourceOf(workspaceId, plan, {
		rolled: `SELECT ${calls} FROM ${rollups.countedCalls}`,
		raw: selectCountedCalls(calls, plan.raw.length, await areAcrossTraces(store, workspaceId, plan.raw)),
	})
}

/** The calls of a range from the spans themselves, with everything that conditions may name. */
export async function spanSource(store: QueryStore, workspaceId: string, range: TimeRange): Promise<Source> {
	const isAcross = await areAcrossTraces(store, workspaceId, [range])
	return {
		from: `FROM (${selectCountedCalls(columnsOfConditions.join(', '), 1, isAcross)}) AS spans`,
		parameters: stretchParameters(workspaceId, [range]),
	}
}

/** Who was there in a range, on whatever was recorded: sessions and users, with repetitions. */
export async function visitorSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
): Promise<Source> {
	const plan = planReads(range, await findCleanHours(store, workspaceId, range))
	return sourceOf(workspaceId, plan, {
		rolled: `SELECT ${visitors} FROM ${rollups.hourVisitors}`,
		raw: `SELECT ${visitors} FROM spans WHERE ${inStretches(plan.raw.length)}`,
	})
}

function sourceOf(
	workspaceId: string,
	{ rolled, raw }: ReadPlan,
	select: { rolled: string; raw: string },
): Source {
	const halves = [
		...(rolled.length > 0 ? [`${select.rolled} WHERE ${inRolls}`] : []),
		...(raw.length > 0 ? [select.raw] : []),
	]
	return {
		from: `FROM (${halves.join('\nUNION ALL\n')}) AS spans`,
		parameters: { ...stretchParameters(workspaceId, raw), ...(rolled.length > 0 && rollParameters(rolled)) },
	}
}

const inRolls = `workspace_id = {workspace:String} AND hour >= toDateTime({first_hour:UInt32}, 'UTC') AND hour <= toDateTime({last_hour:UInt32}, 'UTC')
	AND (toUnixTimestamp(hour), version) IN (SELECT arrayJoin(arrayZip({hours:Array(UInt32)}, {versions:Array(UInt64)})))`

function rollParameters(hours: readonly CleanHour[]): Record<string, unknown> {
	const seconds = hours.map(({ startMs }) => startMs / 1000)
	return {
		hours: seconds,
		versions: hours.map(({ version }) => version),
		first_hour: seconds[0],
		last_hour: seconds.at(-1),
	}
}
