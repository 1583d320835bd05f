import type { TelemetryStore } from '../../../platform/clickhouse/index.ts'
import { readStore, rollups } from '../../../telemetry/index.ts'
import {
	aboveStretches,
	between,
	type CallsOfTraces,
	inStretches,
	nearStretches,
	selectCallsOfTraces,
	stretchParameters,
} from '../counted-calls.ts'
import { findInheritance } from '../inherited-names.ts'
import { findCallWithChild, findKeySharedBy } from '../merge-views.ts'
import { type CleanHour, hourMs, type OpenPart } from './plan-reads.ts'
import { inRolls, rollParameters } from './roll-ids.ts'

type Store = Pick<TelemetryStore, 'query'>

/** Of the parameters that `openParameters` gives. */
const prefix = 'open_'

/** What was stored in open hours since their newest steps. */
export const arrivedInOpen = (open: OpenPart) => arrivedIn(open, `${prefix}start`, `${prefix}end`)

/** SELECT of the traces of which something was stored since, in these hours or so near that it says something about them. */
export const openTraces = (open: OpenPart) =>
	`SELECT trace_id FROM spans WHERE ${arrivedIn(open, `near_${prefix}start`, `near_${prefix}end`)}
		OR ${rollups.isLong} AND ${arrivedIn(open, `far_${prefix}start`, `near_${prefix}end`)}`

function arrivedIn({ stretches }: OpenPart, start: string, end: string): string {
	const any = stretches.map((_, at) => {
		const storedSince = `stored_at >= fromUnixTimestamp64Milli({${prefix}cut_${at}:Int64}, 'UTC')`
		return `${between(`${start}_${at}`, `${end}_${at}`)} AND ${storedSince}`
	})
	return `workspace_id = {workspace:String} AND (${any.join(' OR ')})`
}

/** What the calls of these traces have from above. */
export const findOpenNames = (store: Store, workspaceId: string, open: OpenPart) =>
	findInheritance(
		store,
		{
			...aboveStretches(open.stretches.length, prefix),
			calls: `${inStretches(open.stretches.length, prefix)} AND trace_id IN (${openTraces(open)})`,
			traces: openTraces(open),
		},
		openParameters(workspaceId, open),
	)

/** The calls of these, each once. */
export const selectOpenCalls = (
	columns: string,
	open: OpenPart,
	seen: Pick<CallsOfTraces, 'haveViews' | 'inheritance'>,
) =>
	selectCallsOfTraces({
		...{ columns, traces: openTraces(open), stretches: open.stretches.length, of: prefix, ...seen },
	})

export function openParameters(
	workspaceId: string,
	{ stretches, hoursMs, cutsMs }: OpenPart,
): Record<string, unknown> {
	// As near as a step has looked: whom it left out for something that came later is found by the same.
	const reach = hoursMs.map((startMs) => ({ startMs, endMs: startMs + hourMs }))
	const cuts = cutsMs.map((cutMs, at) => [`${prefix}cut_${at}`, cutMs])
	return { ...stretchParameters(workspaceId, stretches, { of: prefix, reach }), ...Object.fromEntries(cuts) }
}

/** Whether a call of the open traces may be a view of a call of another trace. */
export const areSeenElsewhere = (store: Store, workspaceId: string, open: OpenPart) =>
	isFound(store, workspaceId, open, findKeySharedBy)

/** Whether one may have several views in its trace. */
export const haveViews = (store: Store, workspaceId: string, open: OpenPart) =>
	isFound(store, workspaceId, open, findCallWithChild)

async function isFound(
	store: Store,
	workspaceId: string,
	open: OpenPart,
	find: (traces: string, near: string) => string,
): Promise<boolean> {
	const sql = find(openTraces(open), nearStretches(open.stretches.length, prefix))
	return (await readStore(() => store.query(sql, openParameters(workspaceId, open)))).length > 0
}

/** The rolls that have calls of open traces, which went on after they were rolled up. */
export async function findReopened(store: Store, workspaceId: string, open: OpenPart): Promise<CleanHour[]> {
	if (open.rolls.length === 0) return []
	const rows = await readStore(() =>
		store.query<{ at: string; roll: string }>(
			`SELECT DISTINCT toString(toUnixTimestamp(hour)) AS at, toString(version) AS roll FROM ${rollups.countedCalls}
			WHERE ${inRolls('open')} AND trace_id IN (${openTraces(open)})`,
			{ ...openParameters(workspaceId, open), ...rollParameters('open', open.rolls) },
		),
	)
	return rows
		.map(({ at, roll }) => ({ startMs: Number(at) * 1000, version: Number(roll) }))
		.sort((a, b) => a.startMs - b.startMs)
}
