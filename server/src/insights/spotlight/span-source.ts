import type { TimeRange } from '../../platform/time-range.ts'
import { asksForRequests, columnsOfConditions, sumTables } from '../../telemetry/index.ts'
import { type CallFilter, filterSql, isIndexed, splitFilter } from './call-filter.ts'
import { indexedSource } from './call-source.ts'
import {
	allSpansCountable,
	areTagged,
	countableParameters,
	inStretches,
	isNoListing,
	isNotCall,
	joinsIn,
	type NarrowSource,
	occursInStoredMessages,
	type QueryStore,
	type Source,
	selectCountedCalls,
	selectCountedRequests,
	selectRecorded,
	stretchParameters,
	taggedIn,
} from './counted-calls.ts'
import { isDerived } from './derived-sessions.ts'

/** Calls that are read only from spans; if a filter is given, those that may match it. */
type SpanSource = (
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter?: CallFilter,
) => Promise<Source>

const spanColumns = columnsOfConditions.join(', ')
const { countedCallsNamed } = sumTables

/** The calls of a range from the spans themselves, with everything that conditions can use. */
export const spanSource: SpanSource = async (store, workspaceId, range, filter) => {
	const { parameters, left, asked } = await readSpans(store, workspaceId, range, filter)
	const from = `FROM (${selectCountedCalls(spanColumns, 1, { withTags: true, ...asked })}) AS spans`
	return { from, parameters, left }
}

/**
 * A condition on the spans of calls: the call matches a filter, by all that is known of it from its other views and their ancestors.
 * Empty without a filter.
 */
export async function matchingCalls(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter,
): Promise<{ sql: string; parameters: Record<string, unknown> }> {
	const all = filterSql(filter)
	if (all.sql === '') return { sql: '', parameters: {} }
	const { from, parameters, left } = await spanSource(store, workspaceId, range, filter)
	return {
		sql: ` AND (trace_id, span_id) IN (SELECT trace_id, span_id ${from} WHERE 1${left})`,
		parameters: { ...all.parameters, ...parameters },
	}
}

/** MCP requests other than tool calls, each once; no rollup has them. */
export const requestSource: SpanSource = async (store, workspaceId, range, filter) => {
	const { parameters, left, asked } = await readSpans(store, workspaceId, range, filter)
	const from = `FROM (${selectCountedRequests(spanColumns, 1, { withTags: true, ...asked })}) AS spans`
	return { from, parameters, left }
}

/**
 * The calls of a range that match a filter, and all other spans that show a session or are asked for. `isKeyed`: with hashes of their
 * sessions and users.
 */
export async function recordedSource(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: CallFilter = {},
): Promise<NarrowSource & { isKeyed: boolean }> {
	const ofOthers = stretchParameters(workspaceId, [range], { of: 'other_' })
	const shown = asksForRequests(filter) ? '' : ` AND ${isNoListing}`
	const others = (conditions: string) =>
		`FROM spans WHERE ${inStretches(1, 'other_')} AND ${isNotCall}${shown}${conditions}`
	if (isIndexed(filter) && !isDerived(filter.session)) {
		const { ofColumns, ofAttributes } = splitFilter(filter)
		const calls = await indexedSource(store, workspaceId, range, filter)
		const from = (rest: string) =>
			`FROM (SELECT * ${calls.from(rest)} UNION ALL SELECT ${countedCallsNamed(rest).ofSpans} ${others(ofColumns + ofAttributes({}))}) AS spans`
		return { ...calls, from, parameters: { ...ofOthers, ...calls.parameters }, isKeyed: true }
	}
	const { parameters, left, asked, ofStored } = await readSpans(store, workspaceId, range, filter)
	const from = (rest: string) => {
		const words = new Set(`${rest} ${left ?? ''}`.split(/\W+/))
		const columns = columnsOfConditions.filter((name) => words.has(name)).join(', ')
		const withTags = words.has('attributes')
		if (asked.only === ofStored.ofAttributes) {
			const select = selectRecorded(columns, 1, { withTags, ...asked, others: shown + ofStored.ofColumns })
			return `FROM (${select}) AS spans`
		}
		const calls = selectCountedCalls(columns, 1, { withTags, ...asked })
		return `FROM (${calls} UNION ALL SELECT ${columns} ${others(ofStored.ofColumns + ofStored.ofAttributes)}) AS spans`
	}
	return { from, left, parameters: { ...ofOthers, ...parameters }, isKeyed: false }
}

/**
 * Conditions on attributes and texts are evaluated on the stored rows. Conditions on columns are evaluated early as far as possible,
 * since names may be inherited. So may attributes; texts are then evaluated once these are joined.
 */
async function readSpans(store: QueryStore, workspaceId: string, range: TimeRange, given?: CallFilter) {
	const countable = store.countable?.() ?? allSpansCountable
	const parameters = { ...stretchParameters(workspaceId, [range]), ...countableParameters(countable) }
	const filter = given ?? {}
	const { names, texts } = splitFilter(filter)
	const [hasTags, hasAnyTags, isKept] = await Promise.all([
		names.length > 0 && areTagged(store, parameters, names),
		texts.length > 0 && areTagged(store, parameters),
		texts.length > 0 && occursInStoredMessages(store, workspaceId, texts),
	])
	const { ofColumns, ofAttributes } = splitFilter(filter, !hasAnyTags)
	const known = { nothingKept: !isKept }
	const ofStored = splitFilter(filter, true)
	return {
		parameters,
		/** The conditions that remain for the calls that `asked` selects. */
		left: given && ofColumns,
		asked: {
			holds: `1${ofColumns}`,
			only: ofAttributes({ ...known, ...(hasTags && { tagged: taggedIn(joinsIn(1)) }) }),
		},
		/** The same filter for rows of `spans` only. */
		ofStored: { ofColumns: ofStored.ofColumns, ofAttributes: ofStored.ofAttributes(known) },
	}
}

/** Everything recorded in a range, including each view of a call. */
export function everySpan(workspaceId: string, range: TimeRange): Source {
	return {
		from: `FROM (SELECT ${spanColumns} FROM spans WHERE ${inStretches(1)}) AS spans`,
		parameters: stretchParameters(workspaceId, [range]),
	}
}
