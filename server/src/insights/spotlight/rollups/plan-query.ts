import type { TelemetryStore } from '../../../platform/clickhouse/store.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import { callJoins, readStore, rollups } from '../../../telemetry/index.ts'
import {
	allSpansCountable,
	between,
	type CountableSpans,
	type CountedOptions,
	countableParameters,
	isCall,
	isCountable,
	joinsIn,
	type KnownRolls,
	type QueryStore,
	type ShareRolls,
	selectCallsOfTraces,
	stretchParameters,
} from '../counted-calls.ts'
import { type CleanHour, hourMs, type OpenPart, planReads, type ReadPlan } from './plan-reads.ts'
import { findHours, inRolls, rollParameters } from './rollup-repository.ts'

type Store = Pick<TelemetryStore, 'query'>

/** Prefix of the parameters that `openParameters` provides. */
const prefix = 'open_'

/** A condition on what was stored in open hours since their newest steps. */
export const arrivedInOpen = (open: OpenPart) => arrivedIn(open, `${prefix}start`, `${prefix}end`)

/**
 * A SELECT of the traces with calls of which something was stored or became known since the newest step, in or near these hours: those
 * that steps leave out. What is stored or joined after the query has begun is not included, because it would be counted in addition to
 * the roll that has its trace.
 */
export const openTraces = (open: OpenPart) =>
	`SELECT trace_id FROM spans WHERE ${isCall} AND ${arrivedIn(open, `near_${prefix}start`, `near_${prefix}end`)} AND (${isCountable})
	UNION ALL SELECT trace_id FROM ${callJoins} WHERE ${joinedIn(open)} AND joined_ms <= {${prefix}at:UInt64}`

function joinedIn({ stretches }: OpenPart): string {
	const any = stretches.map(
		(_, at) =>
			`${between(`${prefix}start_${at}`, `${prefix}end_${at}`)} AND joined_ms >= {${prefix}cut_${at}:UInt64}`,
	)
	return `workspace_id = {workspace:String} AND (${any.join(' OR ')})`
}

function arrivedIn({ stretches }: OpenPart, start: string, end: string): string {
	const any = stretches.map((_, at) => {
		const storedSince = `stored_at >= fromUnixTimestamp64Milli({${prefix}cut_${at}:Int64}, 'UTC')`
		return `${between(`${start}_${at}`, `${end}_${at}`)} AND ${storedSince}`
	})
	return `workspace_id = {workspace:String} AND (${any.join(' OR ')})`
}

/** The calls of these traces, each once. */
export const selectOpenCalls = (columns: string, open: OpenPart, options: CountedOptions = {}) =>
	selectCallsOfTraces(columns, {
		...{ traces: openTraces(open), stretches: open.stretches.length, of: prefix },
		...options,
	})

/** The rows of `call_joins` for them. */
export const joinsInOpen = ({ stretches }: OpenPart) => joinsIn(stretches.length, prefix)

export function openParameters(
	workspaceId: string,
	{ stretches, hoursMs, cutsMs, atMs }: OpenPart,
): Record<string, unknown> {
	// The same distance as in a step, so that traces which the step left out because of later spans are found.
	const reach = hoursMs.map((startMs) => ({ startMs, endMs: startMs + hourMs }))
	const cuts = cutsMs.map((cutMs, at) => [`${prefix}cut_${at}`, cutMs])
	return {
		...stretchParameters(workspaceId, stretches, { of: prefix, reach }),
		...Object.fromEntries(cuts),
		[`${prefix}at`]: atMs,
	}
}

/** The rolls that contain calls of open traces, which continued after they were rolled up. */
async function findReopened(
	store: Store,
	workspaceId: string,
	open: OpenPart,
	countable: CountableSpans,
): Promise<CleanHour[]> {
	if (open.rolls.length === 0) return []
	const rows = await readStore(() =>
		store.query<{ at: string; roll: string }>(
			`SELECT DISTINCT toString(toUnixTimestamp(hour)) AS at, toString(version) AS roll FROM ${rollups.countedCalls}
			WHERE ${inRolls('open')} AND trace_id IN (${openTraces(open)})`,
			{
				...openParameters(workspaceId, open),
				...countableParameters(countable),
				...rollParameters('open', open.rolls),
			},
		),
	)
	return rows
		.map(({ at, roll }) => ({ startMs: Number(at) * 1000, version: Number(roll) }))
		.sort((a, b) => a.startMs - b.startMs)
}

/** How the calls of a query are read. */
export interface QueryPlan extends ReadPlan {
	/** Rolls of open hours that have rows which no longer count. */
	reopened: CleanHour[]
	countable: CountableSpans
}

/**
 * The plan for calls as they are stored now. None of its whole hours lies on both sides of one of `splits`. `complete` as in
 * `findHours`.
 */
export async function planQuery(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	splits: readonly number[] = [],
	asked: { complete?: boolean } = {},
): Promise<QueryPlan> {
	const { hours, reopened, countable } = await rollsOf(store, workspaceId, range, asked)
	const plan = planReads(range, hours, splits)
	const isKept = (roll: CleanHour) => !reopened.some((other) => isSame(roll, other))
	return { ...plan, whole: plan.whole.filter(isKept), parts: plan.parts.filter(isKept), reopened, countable }
}

/** The same for each statement of one query. */
function rollsOf(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	asked: { complete?: boolean },
): Promise<KnownRolls> {
	const key = JSON.stringify([workspaceId, range, asked])
	// Whole hours are the same for ranges that end a moment later, and reading a roll as one that was continued changes no figure.
	const hours = {
		startMs: Math.floor(range.startMs / hourMs) * hourMs,
		endMs: Math.ceil(range.endMs / hourMs) * hourMs,
	}
	const find = () => findRolls(store, workspaceId, hours, asked)
	const share = store.shareRolls
	const found =
		store.knownRolls?.get(key) ??
		(share ? share({ workspaceId, range: hours, complete: asked.complete === true }, find) : find())
	store.knownRolls?.set(key, found)
	return found
}

interface SharedRolls {
	asked: Parameters<ShareRolls>[0]
	found: Promise<KnownRolls>
	version: number
	changes: number
	atMs: number
}

/** Replaced rolls are kept for longer than this and a query take together. */
const sharedMs = 1000
const maxShared = 50

/**
 * What a query finds out about rolls is shared with later queries until figures may have changed, at most for a second, because
 * finding it takes up to a third of a query while spans arrive. `versionOf` is as in `shareAnswers`. Deleting spans invalidates it.
 */
export function shareRolls(
	versionOf: (workspaceId: string) => number | null,
	clock: Pick<Clock, 'nowMs'>,
): ShareRolls {
	let shared: SharedRolls[] = []
	const isGood = ({ asked, version, changes, atMs }: SharedRolls) =>
		Math.abs(clock.nowMs() - atMs) < sharedMs &&
		version === versionOf(asked.workspaceId) &&
		changes === rollups.hoursChanged()
	return (asked, find) => {
		const { workspaceId, range, complete } = asked
		const version = versionOf(workspaceId)
		if (version === null) return find()
		shared = shared.filter(isGood).slice(-maxShared)
		const known = shared.find(
			(one) =>
				one.asked.workspaceId === workspaceId &&
				one.asked.complete === complete &&
				one.asked.range.startMs <= range.startMs &&
				one.asked.range.endMs >= range.endMs,
		)
		if (known) return known.found
		const changes = rollups.hoursChanged()
		const one = { asked, found: find(), version, changes, atMs: clock.nowMs() }
		shared.push(one)
		one.found.catch(() => {
			shared = shared.filter((other) => other !== one)
		})
		return one.found
	}
}

async function findRolls(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	asked: { complete?: boolean },
): Promise<KnownRolls> {
	// Read first: a join that is written meanwhile may hide a call, but never count one twice.
	const countable = store.countable?.() ?? allSpansCountable
	const hours = await findHours(store, workspaceId, range, asked)
	const { open } = planReads(range, hours)
	return { countable, hours, reopened: open ? await findReopened(store, workspaceId, open, countable) : [] }
}

const isSame = (a: CleanHour, b: CleanHour) => a.startMs === b.startMs && a.version === b.version
