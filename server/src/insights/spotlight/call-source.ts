import type { TimeRange } from '../../platform/time-range.ts'
import {
	columnsOfConditions,
	isNameless,
	readStore,
	rollups,
	type SumTable,
	sumTables,
} from '../../telemetry/index.ts'
import { type CallFilter, isIndexed, splitFilter } from './call-filter.ts'
import {
	allJudged,
	areTagged,
	type CountedOptions,
	inStretches,
	isNoCall,
	isSaidInKept,
	isVisit,
	joinsIn,
	judgedParameters,
	type NarrowSource,
	type QueryStore,
	type Source,
	selectCountedCalls,
	selectCountedRequests,
	selectRecorded,
	stretchParameters,
	taggedIn,
} from './counted-calls.ts'
import {
	derivedParameters,
	inDerivedRange,
	isDerived,
	selectInSessions,
	withBeginnings,
} from './derived-sessions.ts'
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

/** The calls of a range, each once: those of hours that are rolled up from the rollup, the others from the spans. */
export async function callSource(store: QueryStore, workspaceId: string, range: TimeRange): Promise<Source> {
	const plan = oneByOne(await planQuery(store, workspaceId, range))
	return { from: unionOf(selectCalls(plan), allCalls), parameters: parametersOf(workspaceId, range, plan) }
}

/** Calls that are read from spans alone, and where a filter is given, those that it may hold for. */
type SpanSource = (
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter?: CallFilter,
) => Promise<Source>

const spanColumns = columnsOfConditions.join(', ')
const { countedCallsNamed } = sumTables

/** The calls of a range from the spans themselves, with everything that conditions may name. */
export const spanSource: SpanSource = async (store, workspaceId, range, filter) => {
	const { parameters, left, asked } = await readSpans(store, workspaceId, range, filter)
	const from = `FROM (${selectCountedCalls(spanColumns, 1, { withTags: true, ...asked })}) AS spans`
	return { from, parameters, left }
}

/** What was asked of MCP servers beside tool calls, each once; no rollup has it. */
export const requestSource: SpanSource = async (store, workspaceId, range, filter) => {
	const { parameters, left, asked } = await readSpans(store, workspaceId, range, filter)
	const from = `FROM (${selectCountedRequests(spanColumns, 1, { withTags: true, ...asked })}) AS spans`
	return { from, parameters, left }
}

/**
 * The calls of a range that a filter holds for whose conditions the index of attributes answers: of hours that are rolled up by the index of
 * their calls, of the others from the spans.
 */
export async function indexedSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter,
): Promise<NarrowSource> {
	const { ofColumns, ofAttributes, ofRolled, names } = splitFilter(filter)
	const plan = await planQuery(store, workspaceId, range, [], { indexed: true })
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

/** The calls of a range that a filter holds for, and whatever else was recorded. */
export async function recordedSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
): Promise<NarrowSource> {
	const ofOthers = stretchParameters(workspaceId, [range], { of: 'other_' })
	const others = (conditions: string) =>
		`FROM spans WHERE ${inStretches(1, 'other_')} AND ${isNoCall}${conditions}`
	if (isIndexed(filter) && !isDerived(filter.session)) {
		const { ofColumns, ofAttributes } = splitFilter(filter)
		const calls = await indexedSource(store, workspaceId, range, filter)
		const from = (rest: string) =>
			`FROM (SELECT * ${calls.from(rest)} UNION ALL SELECT ${countedCallsNamed(rest).ofSpans} ${others(ofColumns + ofAttributes({}))}) AS spans`
		return { ...calls, from, parameters: { ...ofOthers, ...calls.parameters } }
	}
	const { parameters, left, asked, ofStored } = await readSpans(store, workspaceId, range, filter)
	const from = (rest: string) => {
		const words = new Set(`${rest} ${left ?? ''}`.split(/\W+/))
		const columns = columnsOfConditions.filter((name) => words.has(name)).join(', ')
		const withTags = words.has('attributes')
		if (asked.only === ofStored.ofAttributes) {
			const select = selectRecorded(columns, 1, { withTags, ...asked, others: ofStored.ofColumns })
			return `FROM (${select}) AS spans`
		}
		const calls = selectCountedCalls(columns, 1, { withTags, ...asked })
		return `FROM (${calls} UNION ALL SELECT ${columns} ${others(ofStored.ofColumns + ofStored.ofAttributes)}) AS spans`
	}
	return { from, left, parameters: { ...ofOthers, ...parameters } }
}

/**
 * Attributes and texts are judged where they are stored, columns beforehand as far as they can be, since names may come from elsewhere. So
 * may attributes, and then texts are judged once these are joined.
 */
async function readSpans(store: QueryStore, workspaceId: string, range: TimeRange, given?: CallFilter) {
	const judged = store.judged?.() ?? allJudged
	const parameters = { ...stretchParameters(workspaceId, [range]), ...judgedParameters(judged) }
	const filter = given ?? {}
	const { names, texts } = splitFilter(filter)
	const [hasTags, hasAnyTags, isKept] = await Promise.all([
		names.length > 0 && areTagged(store, parameters, names),
		texts.length > 0 && areTagged(store, parameters),
		texts.length > 0 && isSaidInKept(store, workspaceId, texts),
	])
	const { ofColumns, ofAttributes } = splitFilter(filter, !hasAnyTags)
	const known = { nothingKept: !isKept }
	const ofStored = splitFilter(filter, true)
	return {
		parameters,
		/** What is to be judged of the calls that `asked` selects. */
		left: given && ofColumns,
		asked: {
			holds: `1${ofColumns}`,
			only: ofAttributes({ ...known, ...(hasTags && { tagged: taggedIn(joinsIn(1)) }) }),
		},
		/** The same filter for rows of `spans` alone. */
		ofStored: { ofColumns: ofStored.ofColumns, ofAttributes: ofStored.ofAttributes(known) },
	}
}

/** Everything that was recorded in a range: each view of a call, too. */
export function everySpan(workspaceId: string, range: TimeRange): Source {
	return {
		from: `FROM (SELECT ${spanColumns} FROM spans WHERE ${inStretches(1)}) AS spans`,
		parameters: stretchParameters(workspaceId, [range]),
	}
}

/** The calls of a range as rows of a table of sums; none of them has calls of both sides of `splitMs`. */
export async function sumSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	{ table, splitMs }: { table: SumTable; splitMs?: number | undefined },
): Promise<NarrowSource> {
	const plan = planFor(table, await planQuery(store, workspaceId, range, [splitMs ?? range.startMs]))
	return {
		from: (rest) => sumsOf(table, plan, rest),
		parameters: parametersOf(workspaceId, range, plan),
	}
}

/** The same by who called, all with a session: in whole hours only the nameless calls are looked at one by one. */
export async function sessionSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	splitMs: number = range.startMs,
): Promise<NarrowSource> {
	const table = sumTables.actorSums
	const read = withBeginnings(range)
	const plan = await planQuery(store, workspaceId, read, [range.startMs, splitMs])
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

/** Which of some hours have calls in them that may be of derived sessions: their sums tell it. */
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

/** Who was there in a range, on whatever was recorded, as rows of a table of visitors. */
export async function visitorSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	table: SumTable,
): Promise<NarrowSource> {
	const plan = planFor(table, await planQuery(store, workspaceId, range))
	const { parts, raw, open, reopened } = plan
	// Of what is no call nothing is rolled up but whole hours. The rolls of an open hour lie in the same part of the plan.
	const cut = new Set([...parts, ...reopened].map(({ startMs }) => startMs))
	const stretches = [...raw, ...[...cut].map((startMs) => clipped(startMs, range))]
	const from = (rest: string) => {
		const { columns, ones } = table.namedIn(rest)
		const others = (condition: string) => `SELECT ${ones} FROM spans AS c WHERE ${condition} AND ${isVisit}`
		const selects = [
			...selectWhole(table, plan, columns),
			...selectOnes(plan, ones),
			...(stretches.length > 0 ? [others(inStretches(stretches.length, 'other_'))] : []),
			...(open ? [others(arrivedInOpen(open))] : []),
		]
		return unionOf(selects, `${columns} FROM ${table.name}`)
	}
	return {
		from,
		parameters: {
			...stretchParameters(workspaceId, stretches, { of: 'other_' }),
			...parametersOf(workspaceId, range, plan),
		},
	}
}

const allCalls = `${countedCallsNamed().columns} FROM ${rollups.countedCalls}`

/** The plan for a table that has every call. */
function oneByOne({ whole, parts, ...rest }: QueryPlan): QueryPlan {
	return { ...rest, whole: [], parts: [...whole, ...parts].sort((a, b) => a.startMs - b.startMs) }
}

/** Calls one by one, with all columns: of hours that are rolled up in part, and of the spans. */
function selectCalls(plan: QueryPlan): string[] {
	const { columns, ofSpans } = countedCallsNamed()
	return [...selectRolled(plan, columns), ...selectUnrolled(plan, ofSpans)]
}

/** The same with what is asked of each call `c`. */
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

/** `asked` says what is asked of them, given the condition on what is known of them from elsewhere. */
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

/** Sums of whole hours, and each call of the others as a sum of its own. */
function sumsOf(table: SumTable, plan: QueryPlan, rest: string): string {
	const { columns, ones } = table.namedIn(rest)
	const selects = [...selectWhole(table, plan, columns), ...selectOnes(plan, ones)]
	return unionOf(selects, `${columns} FROM ${table.name}`)
}

/** A plan whose `whole` hours are those that have no narrow sums, where these are to be read. */
interface TablePlan extends QueryPlan {
	narrow?: CleanHour[]
}

function planFor({ madeOf, isLater }: SumTable, plan: QueryPlan): TablePlan {
	if (!madeOf) return plan
	const versionOf = ({ narrow, isFew }: CleanHour) => (isLater && isFew ? undefined : narrow)
	return {
		...plan,
		whole: plan.whole.filter((hour) => versionOf(hour) === undefined),
		narrow: plan.whole.flatMap((hour) => {
			const version = versionOf(hour)
			return version === undefined ? [] : [{ startMs: hour.startMs, version }]
		}),
	}
}

function selectWhole(table: SumTable, { whole, narrow = [] }: TablePlan, columns: string): string[] {
	const select = ({ name, only }: SumTable, rolls: string) =>
		`SELECT ${columns} FROM ${name} WHERE ${inRolls(rolls)} AND ${only}`
	return [
		...(narrow.length > 0 ? [select(table, 'narrow')] : []),
		...(whole.length > 0 ? [select(table.madeOf ?? table, 'whole')] : []),
	]
}

const inRange = `started_at >= fromUnixTimestamp64Milli({range_start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({range_end:Int64}, 'UTC')`

/** Where nothing was recorded nothing is selected: `nothing` is a SELECT of the same columns. */
function unionOf(selects: readonly string[], nothing: string): string {
	return `FROM (${selects.length > 0 ? selects.join('\nUNION ALL\n') : `SELECT ${nothing} WHERE 0`}) AS spans`
}

function parametersOf(
	workspaceId: string,
	range: TimeRange,
	{ whole, narrow = [], parts, raw, open, reopened, judged }: TablePlan,
): Record<string, unknown> {
	const rolls = (name: string, hours: readonly CleanHour[]) => hours.length > 0 && rollParameters(name, hours)
	return {
		...stretchParameters(workspaceId, raw),
		...{ range_start: range.startMs, range_end: range.endMs },
		...rolls('whole', whole),
		...rolls('narrow', narrow),
		...rolls('parts', parts),
		...rolls('reopened', reopened),
		...(open && openParameters(workspaceId, open)),
		...judgedParameters(judged),
	}
}
