import type { callViewOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import { notFound } from '../../../platform/errors.ts'
import type { QueryStore } from '../repository.ts'
import { chooseSides, type SideView } from './choose-sides.ts'
import { gatherViews } from './gather-views.ts'
import { findMatches, findRelatedTraces, findViews, type SpanPlace } from './repository.ts'

type CallViews = OutputOf<(typeof callViewOperations)['call_views']>

/** A call by any of its spans. Throws `not_found` for what is no call, or is not stored. */
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
	const sure = new Map(spans.map((span) => [keyOf(span), span.confidence]))
	const found = await findViews(store, workspaceId, [place, ...spans])
	const views = chooseSides(
		found.map((view) => ({ ...view, confidence: sure.get(keyOf(view)) ?? ('exact' as const) })),
	)
	return {
		kind: asked.kind,
		tool: asked.tool || null,
		model: asked.served_model || null,
		views: placeInTime(views),
		between: timesBetween(views),
	}
}

const keyOf = ({ trace, span }: SpanPlace) => `${trace} ${span}`

function toPlace({ trace_id, span_id }: { trace_id: string; span_id: string }): SpanPlace {
	const place = { trace: trace_id.toLowerCase(), span: span_id.toLowerCase() }
	if (!/^[0-9a-f]{32} [0-9a-f]{16}$/.test(keyOf(place))) throw notFound('call')
	return place
}

/** Of those that are sure the gateway's counts, else the server's. */
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

/** How much longer the outer one lasted; null when that is not known. */
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
