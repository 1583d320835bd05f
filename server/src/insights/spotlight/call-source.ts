import type { TimeRange } from '../../platform/time-range.ts'
import { isNameless, readStore, rollups, type SumTable, sumTables } from '../../telemetry/index.ts'
import { type CallFilter, splitFilter } from './call-filter.ts'
import {
	areTagged,
	type CountedOptions,
	countableParameters,
	inStretches,
	isVisit,
	joinsIn,
	type NarrowSource,
	type QueryStore,
	type Source,
	selectCountedCalls,
	spanColumnsIn,
	stretchParameters,
	taggedIn,
} from './counted-calls.ts'
import { derivedParameters, inDerivedRange, selectInSessions, withBeginnings } from './derived-sessions.ts'
import {
	arrivedInOpen,
	joinsInOpen,
	openParameters,
	openTraces,
	planQuery,
	type QueryPlan,
	selectOpenCalls,
} from './rollups/plan-query.ts'
import { type CleanHour, clipped } from './rollups/plan-reads.ts'
import { inRolls, rollParameters } from './rollups/rollup-repository.ts'

/** Selects the rolled-up hours whose calls are needed; absent: all. */
export type IsRead = (hour: CleanHour) => boolean

const withRead = (plan: QueryPlan, isRead: IsRead = () => true): QueryPlan => ({
	...plan,
	whole: plan.whole.filter(isRead),
	parts: plan.parts.filter(isRead),
})

/** The calls of a range, each once: from the rollup for hours that are rolled up, from the spans for others. */
export async function callSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	isRead?: IsRead,
): Promise<Source> {
	const plan = oneByOne(withRead(await planQuery(store, workspaceId, range), isRead))
	return { from: unionOf(selectCalls(plan), allCalls), parameters: parametersOf(workspaceId, range, plan) }
}

const { countedCallsNamed } = sumTables

/**
 * The calls of a range that match a filter whose conditions the index of attributes can answer: with the index of rolled-up calls for
 * hours that are rolled up, from the spans for others.
 */
export async function indexedSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter,
	isRead?: IsRead,
): Promise<NarrowSource> {
	const { ofColumns, ofAttributes, ofRolled, names } = splitFilter(filter)
	const plan = withRead(await planQuery(store, workspaceId, range, [], { complete: true }), isRead)
	const isReadFromSpans = plan.raw.length > 0 || plan.open !== null
	const hasTags = isReadFromSpans && (await areTagged(store, stretchParameters(workspaceId, [range]), names))
	const asked = (joins: string) => ({
		...{ withTags: true, holds: `1${ofColumns}` },
		only: ofAttributes(hasTags ? { tagged: taggedIn(joins) } : {}),
	})
	const from = (rest: string) => {
		const { columns, ofSpans } = countedCallsNamed(rest)
		const ofCalls = `${columns} FROM ${rollups.countedCalls}`
		const selects = [
			...(plan.whole.length > 0 ? [`SELECT ${ofCalls} WHERE ${inRolls('whole')}${ofRolled()}`] : []),
			...selectRolled(plan, columns, ofRolled()),
			...selectUnrolled(plan, ofSpans, asked),
		]
		return unionOf(selects, ofCalls)
	}
	return { from, parameters: parametersOf(workspaceId, range, plan), left: ofColumns }
}

/** The calls of a range as rows of a sum table. No row covers calls on both sides of `splitMs`. */
export async function sumSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ table, splitMs, isRead }: { table: SumTable; splitMs?: number | undefined; isRead?: IsRead | undefined },
): Promise<NarrowSource> {
	const found = await planQuery(store, workspaceId, range, [splitMs ?? range.startMs])
	const plan = planFor(table, withRead(found, isRead))
	return {
		from: (rest) => sumsOf(table, plan, rest),
		parameters: parametersOf(workspaceId, range, plan),
	}
}

/** The same by caller, all with a session. In whole hours, only nameless calls are read individually. */
export async function sessionSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	splitMs: number = range.startMs,
): Promise<NarrowSource> {
	const table = sumTables.actorSums
	const read = withBeginnings(range)
	const plan = await planQuery(store, workspaceId, read, [range.startMs, splitMs], { complete: true })
	const hasNameless = await findNameless(store, workspaceId, [...plan.whole, ...plan.parts])
	const nameless = plan.whole.filter(hasNameless)
	const parts = Object.groupBy(plan.parts, (hour) => (hasNameless(hour) ? 'derived' : 'named'))
	const { derived = [], named = [] } = parts
	const ofNameless = `SELECT ${allCalls} WHERE ${inRolls('nameless')} AND ${isNameless}`
	const each = [...(nameless.length > 0 ? [ofNameless] : []), ...selectCalls({ ...plan, parts: derived })]
	const from = (rest: string) => {
		const { columns, ones } = table.namedIn(rest)
		const ofHours = `SELECT ${columns} FROM ${table.name} WHERE ${inRolls('whole')} AND ${inDerivedRange} AND NOT (${isNameless})`
		const ofNamed = `SELECT ${ones} FROM ${rollups.countedCalls} AS c WHERE ${inRolls('named')} AND ${inRange} AND ${inDerivedRange}`
		const selects = [
			...(plan.whole.length > 0 ? [ofHours] : []),
			...(named.length > 0 ? [ofNamed] : []),
			...(each.length > 0
				? [`SELECT ${ones} FROM (${selectInSessions(unionOf(each, allCalls), '1')}) AS c`]
				: []),
		]
		return unionOf(selects, `${columns} FROM ${table.name}`)
	}
	return {
		from,
		parameters: {
			...parametersOf(workspaceId, read, { ...plan, parts: derived }),
			...rollParameters('nameless', nameless),
			...rollParameters('named', named),
			...derivedParameters(range),
		},
	}
}

/** The hours that contain calls which may belong to derived sessions, according to their sums. */
async function findNameless(
	store: QueryStore,
	workspaceId: string,
	hours: readonly CleanHour[],
): Promise<(hour: CleanHour) => boolean> {
	if (hours.length === 0) return () => false
	const found = await readStore(() =>
		store.query<{ at: string }>(
			`SELECT DISTINCT toString(toUnixTimestamp(hour)) AS at FROM ${sumTables.actorSums.name} WHERE ${inRolls('asked')} AND ${isNameless}`,
			{ workspace: workspaceId, ...rollParameters('asked', hours) },
		),
	)
	const nameless = new Set(found.map(({ at }) => Number(at) * 1000))
	return ({ startMs }) => nameless.has(startMs)
}

/** The sessions and users of everything recorded in a range, as rows of a table of visitors. */
export async function visitorSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	table: SumTable,
): Promise<NarrowSource> {
	const plan = planFor(table, await planQuery(store, workspaceId, range))
	const others = othersBeside(plan, range)
	const from = (rest: string) => {
		const { columns, ones } = table.namedIn(rest)
		const selects = [...selectWhole(table, plan, columns), ...selectOnes(plan, ones), ...others.selects(ones)]
		return unionOf(selects, `${columns} FROM ${table.name}`)
	}
	return {
		from,
		parameters: {
			...stretchParameters(workspaceId, others.stretches, { of: 'other_' }),
			...parametersOf(workspaceId, range, plan),
		},
	}
}

/** Spans other than calls, where no sums of them are read. */
function othersBeside({ parts, raw, open, reopened }: QueryPlan, range: TimeRange) {
	// Of spans other than calls, only whole hours are rolled up. The rolls of an open hour are in the same part of the plan.
	const cut = new Set([...parts, ...reopened].map(({ startMs }) => startMs))
	const stretches = [...raw, ...[...cut].map((startMs) => clipped(startMs, range))]
	const any = [
		...(stretches.length > 0 ? [inStretches(stretches.length, 'other_')] : []),
		...(open ? [arrivedInOpen(open)] : []),
	]
	return {
		stretches,
		selects: (ones: string) => {
			if (any.length === 0) return []
			// A separate SELECT, because a condition would refer to the alias in `ones` instead of the column.
			const visits = `SELECT ${spanColumnsIn(`kind ${ones}`).join(', ')} FROM spans WHERE (${any.join(' OR ')}) AND ${isVisit}`
			return [`SELECT ${ones} FROM (${visits}) AS c`]
		},
	}
}

/**
 * Both in one: rows of sums of calls, and rows of visitors. Calls without sums are selected once for both; other spans count as zero
 * calls.
 */
export async function figuresSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	tables: readonly [sums: SumTable, visitors: SumTable],
): Promise<NarrowSource> {
	const plan = await planQuery(store, workspaceId, range, [range.startMs])
	const [sums, visitors] = tables
	const [ofSums, ofVisitors] = [planFor(sums, plan), planFor(visitors, plan)]
	const others = othersBeside(plan, range)
	const from = (rest: string) => {
		const { ones, columnsOf, visits } = sumTables.namedInBoth(tables, rest)
		const selects = [
			...selectWhole(sums, ofSums, columnsOf(sums)),
			...selectWhole(visitors, ofVisitors, columnsOf(visitors), 'visit_'),
			...selectOnes(plan, ones),
			...others.selects(visits),
		]
		return unionOf(selects, `${columnsOf(sums)} FROM ${sums.name}`)
	}
	return {
		from,
		parameters: {
			...stretchParameters(workspaceId, others.stretches, { of: 'other_' }),
			...parametersOf(workspaceId, range, ofSums),
			...wholeParameters(ofVisitors, 'visit_'),
		},
	}
}

const allCalls = `${countedCallsNamed().columns} FROM ${rollups.countedCalls}`

/** The plan for a table that contains every call. */
function oneByOne({ whole, parts, ...rest }: QueryPlan): QueryPlan {
	return { ...rest, whole: [], parts: [...whole, ...parts].sort((a, b) => a.startMs - b.startMs) }
}

/** Individual calls with all columns: of hours that are partly in the range, and of the spans. */
function selectCalls(plan: QueryPlan): string[] {
	const { columns, ofSpans } = countedCallsNamed()
	return [...selectRolled(plan, columns), ...selectUnrolled(plan, ofSpans)]
}

/** The same with the expressions `ones` on each call `c`. */
function selectOnes(plan: QueryPlan, ones: string): string[] {
	const { ofSpans } = countedCallsNamed(ones)
	return [
		...selectRolled(plan, ones),
		...selectUnrolled(plan, ofSpans).map((calls) => `SELECT ${ones} FROM (${calls}) AS c`),
	]
}

function selectRolled({ parts, open, reopened }: QueryPlan, ones: string, and = ''): string[] {
	const ofRolls = (name: string) =>
		`SELECT ${ones} FROM ${rollups.countedCalls} AS c WHERE ${inRolls(name)} AND ${inRange}${and}`
	return [
		...(parts.length > 0 ? [ofRolls('parts')] : []),
		...(open && reopened.length > 0
			? [`${ofRolls('reopened')} AND trace_id NOT IN (${openTraces(open)})`]
			: []),
	]
}

/** `asked` builds the SELECT, given the condition on what is known of the calls from other spans. */
function selectUnrolled(
	{ raw, open }: QueryPlan,
	columns: string,
	asked: (joins: string) => CountedOptions = () => ({}),
): string[] {
	return [
		...(raw.length > 0 ? [selectCountedCalls(columns, raw.length, asked(joinsIn(raw.length)))] : []),
		...(open ? [selectOpenCalls(columns, open, asked(joinsInOpen(open)))] : []),
	]
}

/** Sums of whole hours, and each call of other hours as a sum of its own. */
function sumsOf(table: SumTable, plan: QueryPlan, rest: string): string {
	const { columns, ones } = table.namedIn(rest)
	const selects = [...selectWhole(table, plan, columns), ...selectOnes(plan, ones)]
	return unionOf(selects, `${columns} FROM ${table.name}`)
}

/** A plan whose `whole` hours are those without narrow sums, if these are to be read. */
interface TablePlan extends QueryPlan {
	narrow?: CleanHour[]
}

function planFor({ madeOf, isLater }: SumTable, plan: QueryPlan): TablePlan {
	if (!madeOf) return plan
	const versionOf = ({ narrow, lacksLaterSums }: CleanHour) =>
		isLater && lacksLaterSums ? undefined : narrow
	return {
		...plan,
		whole: plan.whole.filter((hour) => versionOf(hour) === undefined),
		narrow: plan.whole.flatMap((hour) => {
			const version = versionOf(hour)
			return version === undefined ? [] : [{ startMs: hour.startMs, version }]
		}),
	}
}

/** `of` distinguishes the hours of several tables in one statement. */
function selectWhole(table: SumTable, { whole, narrow = [] }: TablePlan, columns: string, of = ''): string[] {
	const select = ({ name, only }: SumTable, rolls: string) =>
		`SELECT ${columns} FROM ${name} WHERE ${inRolls(rolls)} AND ${only}`
	return [
		...(narrow.length > 0 ? [select(table, `${of}narrow`)] : []),
		...(whole.length > 0 ? [select(table.madeOf ?? table, `${of}whole`)] : []),
	]
}

const inRange = `started_at >= fromUnixTimestamp64Milli({range_start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({range_end:Int64}, 'UTC')`

/** If there is nothing to select, `nothing` is used: a SELECT of the same columns without rows. */
function unionOf(selects: readonly string[], nothing: string): string {
	return `FROM (${selects.length > 0 ? selects.join('\nUNION ALL\n') : `SELECT ${nothing} WHERE 0`}) AS spans`
}

const rolls = (name: string, hours: readonly CleanHour[]) => hours.length > 0 && rollParameters(name, hours)

const wholeParameters = ({ whole, narrow = [] }: TablePlan, of = '') => ({
	...rolls(`${of}whole`, whole),
	...rolls(`${of}narrow`, narrow),
})

function parametersOf(workspaceId: string, range: TimeRange, plan: TablePlan): Record<string, unknown> {
	const { parts, raw, open, reopened, countable } = plan
	return {
		...stretchParameters(workspaceId, raw),
		...{ range_start: range.startMs, range_end: range.endMs },
		...wholeParameters(plan),
		...rolls('parts', parts),
		...rolls('reopened', reopened),
		...(open && openParameters(workspaceId, open)),
		...countableParameters(countable),
	}
}
