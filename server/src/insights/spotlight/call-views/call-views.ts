import { callSides, callViewOperations, type OutputOf } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { notFound } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { principalIn } from '../../../platform/http/route.ts'
import { callJoins, isOneOfIds, keyStrengths, readStore, toolKey } from '../../../telemetry/index.ts'
import type { QueryStore } from '../counted-calls.ts'
import { callsOfTraces } from '../joins/calls-of-traces.ts'
import { joinCalls } from '../joins/join-calls.ts'
import { findSeenSpans, rankOf } from '../joins/seen-spans-repository.ts'

type Side = (typeof callSides)[number]
interface SideView extends StoredView {
	side: Side
	confidence: Confidence
	/** Null without an outcome. */
	lengthNs: number | null
}

const sideOf: Record<number, Side> = { 1: 'client', 2: 'server', 3: 'gateway' }
const clientKind = 3

/** For each side, the most informative span: of the client's side the request itself if it was recorded, otherwise the longest. */
function chooseSides(views: readonly (StoredView & { confidence: Confidence })[]): SideView[] {
	const all = views.map((view) => ({
		...view,
		side: sideOf[view.rank] as Side,
		lengthNs: view.status === 'interrupted' ? null : Number(view.length_ns),
	}))
	return callSides.flatMap((side) => {
		const [best] = all.filter((view) => view.side === side && !isInside(view, all)).sort(byMeaning)
		return best ? [best] : []
	})
}

/** A span in the server's or the gateway's trace that is shorter than theirs is a step of theirs, and not a client's view. */
function isInside({ side, trace, lengthNs }: SideView, all: readonly SideView[]): boolean {
	if (side !== 'client') return false
	return all.some(
		(other) => other.side !== 'client' && other.trace === trace && (lengthNs ?? 0) < (other.lengthNs ?? 0),
	)
}

function byMeaning(a: SideView, b: SideView): number {
	const isRequest = (view: SideView) => Number(view.side === 'client' && view.otlp_kind === clientKind)
	return isRequest(b) - isRequest(a) || (b.lengthNs ?? Infinity) - (a.lengthNs ?? Infinity) || 0
}

type Confidence = keyof typeof keyStrengths
type SureSpan = SpanPlace & { confidence: Confidence }

const confidences = ['exact', 'strong', 'weak'] as const satisfies readonly Confidence[]
const keyOf = (trace: string, leader: string) => `${trace} ${leader}`

/**
 * All spans that are views of the same call as the given one, according to the matches. A weak match counts only if neither side has
 * a stronger one.
 */
function gatherViews(matches: readonly StoredMatch[], { trace, span }: SpanPlace): SureSpan[] {
	const byLeader = Map.groupBy(matches, (match) => keyOf(match.trace, match.leader))
	const confidenceOf = new Map<string, Confidence>()
	const waiting = leadersOf(matches, trace, span).map((key) => ({ key, confidence: 'exact' as Confidence }))
	for (let next = waiting.shift(); next; next = waiting.shift()) {
		if (confidenceOf.has(next.key)) continue
		confidenceOf.set(next.key, next.confidence)
		waiting.push(...partnersOf(byLeader, next.key, next.confidence))
		waiting.sort((a, b) => keyStrengths[a.confidence] - keyStrengths[b.confidence])
	}
	return [...confidenceOf].flatMap(([key, confidence]) => spansOf(byLeader, key, confidence))
}

/** The leaders of the span's call: what it leads, and what leads it in its own trace, which may itself have a leader. */
function leadersOf(matches: readonly StoredMatch[], trace: string, span: string): string[] {
	const own = matches.filter((match) => match.trace === trace)
	const found = new Set([span])
	for (const each of found) for (const { leader, hides } of own) if (hides.includes(each)) found.add(leader)
	for (const { leader, hides } of own) if (found.has(leader)) for (const each of hides) found.add(each)
	const leaders = new Set(own.map(({ leader }) => leader))
	return [...found].filter((each) => leaders.has(each)).map((leader) => keyOf(trace, leader))
}

function partnersOf(
	byLeader: ReadonlyMap<string, readonly StoredMatch[]>,
	key: string,
	confidence: Confidence,
): { key: string; confidence: Confidence }[] {
	// One weak link makes the whole chain weak.
	if (confidence === 'weak') return []
	return (byLeader.get(key) ?? []).flatMap(({ strength, partners }) =>
		partners
			.map(([trace, leader]) => keyOf(trace, leader))
			.filter(
				(partner) =>
					strength < keyStrengths.weak || !(isJoined(byLeader, partner) || isJoined(byLeader, key)),
			)
			.map((partner) => ({ key: partner, confidence: weaker(confidence, strength) })),
	)
}

/** Whether it has a match by more than time. */
function isJoined(byLeader: ReadonlyMap<string, readonly StoredMatch[]>, key: string): boolean {
	return (byLeader.get(key) ?? []).some(
		({ strength, partners }) => strength < keyStrengths.weak && partners.length > 0,
	)
}

function weaker(confidence: Confidence, strength: number): Confidence {
	return confidences[Math.max(keyStrengths[confidence], strength) - 1] as Confidence
}

function spansOf(
	byLeader: ReadonlyMap<string, readonly StoredMatch[]>,
	key: string,
	confidence: Confidence,
): SureSpan[] {
	const [match] = byLeader.get(key) ?? []
	if (!match) return []
	return [...new Set([match.leader, ...match.hides])].map((span) => ({
		trace: match.trace,
		span,
		confidence,
	}))
}

type CallViews = OutputOf<(typeof callViewOperations)['call_views']>

/** A call by any of its spans. Throws `not_found` for a span that is not a call, or is not stored. */
export async function getCallViews(
	store: QueryStore,
	workspaceId: string,
	given: { trace_id: string; span_id: string },
): Promise<CallViews> {
	const place = toPlace(given)
	const [asked] = await findViews(store, workspaceId, [place])
	if (!asked) throw notFound('call')
	const traces = await findRelatedTraces(store, workspaceId, asked)
	const spans = gatherViews(await findMatches(store, workspaceId, traces, asked.start_ns), place)
	const sure = new Map(spans.map((span) => [keyOfView(span), span.confidence]))
	const found = await findViews(store, workspaceId, [place, ...spans])
	const views = chooseSides(
		found.map((view) => ({ ...view, confidence: sure.get(keyOfView(view)) ?? ('exact' as const) })),
	)
	// As in lists: a client may know a tool by another name than its server.
	const counted = countedOf(views)
	return {
		kind: asked.kind,
		tool: counted?.tool || asked.tool || null,
		model: counted?.served_model || asked.served_model || null,
		views: placeInTime(views),
		between: timesBetween(views),
	}
}

const keyOfView = ({ trace, span }: SpanPlace) => `${trace} ${span}`

function toPlace({ trace_id, span_id }: { trace_id: string; span_id: string }): SpanPlace {
	const place = { trace: trace_id.toLowerCase(), span: span_id.toLowerCase() }
	if (!/^[0-9a-f]{32} [0-9a-f]{16}$/.test(keyOfView(place))) throw notFound('call')
	return place
}

/** Of the certain views: the gateway's, otherwise the server's. */
function countedOf(views: readonly SideView[]): SideView | undefined {
	const sure = views.filter(({ confidence }) => confidence !== 'weak')
	return sure.toSorted((a, b) => b.rank - a.rank)[0]
}

function placeInTime(views: readonly SideView[]): CallViews['views'] {
	const counted = countedOf(views)
	let around: { view: SideView; afterNs: number } | null = null
	return views.map((view) => {
		const raw = around ? Number(BigInt(view.start_ns) - BigInt(around.view.start_ns)) : 0
		const slack = around ? slackOf(around.view, view) : 0
		const isPossible = slack === null || (raw >= 0 && raw <= slack)
		const offset = isPossible ? raw : slack / 2
		around = { view, afterNs: (around?.afterNs ?? 0) + offset }
		return presentView(view, view === counted, around.afterNs, raw - offset)
	})
}

/** How much longer the outer one lasted; null if that is not known. */
function slackOf(outer: SideView, inner: SideView): number | null {
	return outer.lengthNs === null || inner.lengthNs === null
		? null
		: Math.max(0, outer.lengthNs - inner.lengthNs)
}

function presentView(
	view: SideView,
	isCounted: boolean,
	afterNs: number,
	aheadNs: number,
): CallViews['views'][number] {
	return {
		side: view.side,
		trace_id: view.trace,
		span_id: view.span,
		confidence: view.confidence,
		is_counted: isCounted && view.is_ambiguous === 0,
		is_ambiguous: view.is_ambiguous === 1,
		name: view.name,
		service_name: view.service || null,
		status: view.status,
		started_at: toIso(Number(BigInt(view.start_ns) / 1_000_000n)),
		duration_ms: view.lengthNs === null ? null : view.lengthNs / 1e6,
		starts_after_ms: afterNs / 1e6,
		clock_offset_ms: aheadNs / 1e6,
	}
}

function timesBetween(views: readonly SideView[]): CallViews['between'] {
	return views.slice(1).flatMap((inner, at) => {
		const outer = views[at] as SideView
		const slack = slackOf(outer, inner)
		return slack === null ? [] : [{ outer: outer.side, inner: inner.side, duration_ms: slack / 1e6 }]
	})
}

/** Opens the operation that returns one call as recorded by all sides. */
export function openCallViews({ telemetry }: { telemetry: QueryStore }): BoundOperation[] {
	return bind(callViewOperations, {
		call_views: ({ params, context }) => getCallViews(telemetry, principalIn(context).workspaceId, params),
	})
}

/** Identifies a span by the ids of its trace and itself, in hex. */
interface SpanPlace {
	trace: string
	span: string
}

/** A row as the store returns it: 64-bit numbers are text. */
interface StoredView extends SpanPlace {
	/** See `rankOf`. */
	rank: number
	otlp_kind: number
	kind: 'tool_call' | 'model_call'
	tool: string
	served_model: string
	name: string
	service: string
	status: string
	start_ns: string
	length_ns: string
	is_ambiguous: 0 | 1
}

/** The views of one call within a trace, by one of its keys: see `withMatches`. */
interface StoredMatch {
	trace: string
	leader: string
	strength: number
	hides: string[]
	partners: [trace: string, leader: string, rank: number][]
}

const idOf = (hex: string, bytes: number) => `toFixedString(unhex(${hex}), ${bytes})`
const viewColumns = `lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, ${rankOf} AS rank, otlp_kind, kind, tool_name AS tool,
	if(model != '', model, model_requested) AS served_model, name, service_name AS service, status,
	toString(toUnixTimestamp64Nano(started_at)) AS start_ns, toString(duration_ns) AS length_ns,
	(trace_id, span_id) IN (SELECT trace_id, span_id FROM ${callJoins} FINAL WHERE workspace_id = {workspace:String} AND is_hidden = 2
		AND ${isOneOfIds('trace_id', 'traces')}) AS is_ambiguous`
const isCall = "workspace_id = {workspace:String} AND kind IN ('tool_call', 'model_call')"

/** Calls among the spans of at most a few traces. */
function findViews(
	store: QueryStore,
	workspaceId: string,
	places: readonly SpanPlace[],
): Promise<StoredView[]> {
	return readStore(() =>
		store.query<StoredView>(
			`SELECT ${viewColumns} FROM spans WHERE ${isCall} AND (trace_id, span_id) IN (
				SELECT ${idOf('place.1', 16)}, ${idOf('place.2', 8)} FROM (SELECT arrayJoin(arrayZip({traces:Array(String)}, {spans:Array(String)})) AS place))
				AND ${isOneOfIds('trace_id', 'traces')}
			ORDER BY started_at, trace_id, span_id`,
			{
				workspace: workspaceId,
				traces: places.map(({ trace }) => trace),
				spans: places.map(({ span }) => span),
			},
		),
	)
}

const within = (seconds: number) =>
	`started_at >= fromUnixTimestamp64Nano({at:Int64} - ${seconds}000000000, 'UTC') AND started_at <= fromUnixTimestamp64Nano({at:Int64} + ${seconds}000000000, 'UTC')`
const keys = `arrayConcat(view_keys, if(kind = 'tool_call', [${toolKey}], []))`
/** Traces with a key in common: what could be a view of the same call, and, applied repeatedly, what else could claim that. */
const withKeyOf = (traces: string, near: string) => `SELECT trace_id FROM spans WHERE ${isCall} AND ${near}
	AND hasAny(${keys}, (SELECT groupUniqArrayArray(${keys}) FROM spans WHERE ${isCall} AND ${near} AND trace_id IN (${traces})))`

const ownTrace = `SELECT ${idOf('{trace:String}', 16)}`
const withExactKey = `SELECT trace_id FROM spans ARRAY JOIN view_keys AS key WHERE ${isCall} AND ${within(1200)} AND bitAnd(key, 3) = ${keyStrengths.exact}
	AND key IN (SELECT arrayJoin(view_keys) FROM spans WHERE ${isCall} AND ${within(1200)} AND trace_id IN (${ownTrace}))`
const maxTraces = 1000

/** Traces that may be related to a call, its own first. If there are very many, only ids are used to distinguish them. */
async function findRelatedTraces(
	store: QueryStore,
	workspaceId: string,
	{ trace, start_ns }: StoredView,
): Promise<string[]> {
	const find = async (traces: string) => {
		const sql = `SELECT DISTINCT lower(hex(trace_id)) AS trace FROM (${traces}) LIMIT ${maxTraces}`
		const rows = await readStore(() =>
			store.query<{ trace: string }>(sql, { workspace: workspaceId, trace, at: start_ns }),
		)
		return rows.map((row) => row.trace)
	}
	const [exact, near] = await Promise.all([
		find(withExactKey),
		find(withKeyOf(withKeyOf(ownTrace, within(10)), within(20))),
	])
	return [...new Set([trace, ...exact, ...(near.length < maxTraces ? near : [])])]
}

/** The views that belong together in these traces, around a time. */
async function findMatches(
	store: QueryStore,
	workspaceId: string,
	traces: readonly string[],
	startNs: string,
): Promise<StoredMatch[]> {
	const near = `workspace_id = {workspace:String} AND ${within(3600)} AND ${isOneOfIds('trace_id', 'traces')}`
	const parameters = { workspace: workspaceId, traces: [...traces], at: startNs }
	const { calls } = callsOfTraces(await findSeenSpans(store, workspaceId, near, parameters, keys))
	const matches = joinCalls(calls)
	const alone = new Set(calls)
	for (const { call } of matches) alone.delete(call)
	return [...matches, ...[...alone].map((call) => ({ call, strength: 0, partners: [] }))].map(
		({ call, strength, partners }) => ({
			...{ trace: call.trace, leader: call.leader, strength, hides: [...call.hides] },
			partners: partners.map(({ trace, leader, rank }): [string, string, number] => [trace, leader, rank]),
		}),
	)
}
