import type { Span } from './queries.ts'

export interface TreeRow {
	span: Span
	depth: number
	/** Its place on the time line of the trace, as shares from 0 to 1. */
	offset: number
	width: number
	/** The parent is named but not recorded (yet). */
	isOrphan: boolean
}

export interface SpanTree {
	rows: readonly TreeRow[]
	durationMs: number
	startedAt: string
	failed: number
}

/** Spans in the order of their tree, children by their start; a span whose parent is missing stands at the top. */
export function toSpanTree(spans: readonly Span[]): SpanTree {
	const byId = new Map(spans.map((span) => [span.span_id, span]))
	const children = new Map<string | null, Span[]>()
	for (const span of spans) {
		const parent = span.parent_span_id && byId.has(span.parent_span_id) ? span.parent_span_id : null
		const siblings = children.get(parent)
		if (siblings) siblings.push(span)
		else children.set(parent, [span])
	}
	const startNs = earliest(spans.map(startOf))
	const endNs = latest(spans.map(endOf))
	const lengthNs = Math.max(1, Number(endNs - startNs))
	const rows: TreeRow[] = []
	const placed = new Set<string>()
	const place = (root: Span) => {
		// A stack of our own: a chain of calls may be deeper than the engine's.
		const waiting = [{ span: root, depth: 0 }]
		for (let next = waiting.pop(); next; next = waiting.pop()) {
			const { span, depth } = next
			if (placed.has(span.span_id)) continue
			placed.add(span.span_id)
			rows.push({
				span,
				depth,
				offset: Number(startOf(span) - startNs) / lengthNs,
				width: Number(span.duration_nano) / lengthNs,
				isOrphan: depth === 0 && span.parent_span_id !== null,
			})
			const below = byStart(children.get(span.span_id) ?? []).toReversed()
			for (const child of below) waiting.push({ span: child, depth: depth + 1 })
		}
	}
	for (const root of byStart(children.get(null) ?? [])) place(root)
	// Spans that name each other as parents have no root; they are shown all the same.
	for (const span of byStart(spans)) place(span)
	return {
		rows,
		durationMs: Number(endNs - startNs) / 1e6,
		startedAt: rows[0]?.span.started_at ?? '',
		failed: spans.filter(({ status }) => status === 'error' || status === 'denied' || status === 'cut')
			.length,
	}
}

function startOf(span: Span): bigint {
	return BigInt(span.start_time_unix_nano)
}

function endOf(span: Span): bigint {
	return startOf(span) + BigInt(span.duration_nano)
}

function earliest(moments: readonly bigint[]): bigint {
	return moments.reduce((least, moment) => (compare(moment, least) < 0 ? moment : least), moments[0] ?? 0n)
}

function latest(moments: readonly bigint[]): bigint {
	return moments.reduce((most, moment) => (compare(moment, most) > 0 ? moment : most), moments[0] ?? 0n)
}

function compare(a: bigint, b: bigint): number {
	return a < b ? -1 : Number(a > b)
}

function byStart(spans: readonly Span[]): Span[] {
	return spans.toSorted((a, b) => compare(startOf(a), startOf(b)))
}
