import type { Span } from './queries.ts'

export interface TreeRow {
	span: Span
	depth: number
	/** Its position on the trace's time line, as a fraction from 0 to 1. */
	offset: number
	width: number
	/** Whether it has a parent that is not recorded (yet). */
	isOrphan: boolean
	/** The index after the last span below it. */
	end: number
}

export interface SpanTree {
	rows: readonly TreeRow[]
	durationMs: number
	startedAt: string
	failed: number
}

/** Spans in tree order, children by their start. A span whose parent is missing is at the top level. */
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
		// An explicit stack, because a chain of calls may be deeper than the engine's.
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
				end: 0,
			})
			const below = byStart(children.get(span.span_id) ?? []).toReversed()
			for (const child of below) waiting.push({ span: child, depth: depth + 1 })
		}
	}
	for (const root of byStart(children.get(null) ?? [])) place(root)
	// Spans that are each other's parents have no root, but are shown as well.
	for (const span of byStart(spans)) place(span)
	setEnds(rows)
	return {
		rows,
		durationMs: Number(endNs - startNs) / 1e6,
		startedAt: rows[0]?.span.started_at ?? '',
		failed: spans.filter(hasFailed).length,
	}
}

export function hasFailed({ status }: Pick<Span, 'status'>): boolean {
	return status === 'error' || status === 'denied' || status === 'cut'
}

function setEnds(rows: readonly TreeRow[]): void {
	const open: TreeRow[] = []
	const close = (depth: number, end: number) => {
		for (let last = open.at(-1); last && last.depth >= depth; last = open.at(-1)) {
			last.end = end
			open.pop()
		}
	}
	for (const [at, row] of rows.entries()) {
		close(row.depth, at)
		open.push(row)
	}
	close(0, rows.length)
}

/** A line of the reader: a span, or equal consecutive calls that are one line until they are unfolded. */
export interface ShownRow {
	/** The id of a span; for a run, `run:` and the id of its first span. */
	id: string
	depth: number
	row: TreeRow
	/** The calls of a run; null for a span. */
	run: readonly TreeRow[] | null
	/** For a run, how many of its calls failed or have a failure below them; for a span, 1 if that is so. */
	failed: number
	/** Null if there is nothing below it. */
	isOpen: boolean | null
}

/** Minimum number of equal consecutive calls that form a run. */
export const runFrom = 4

/**
 * The visible lines. `folds` has what a person opened or closed. Lines that contain the wanted span are open in any case, so that a
 * link to it shows it.
 */
export function toShownRows(
	rows: readonly TreeRow[],
	folds: ReadonlyMap<string, boolean>,
	wanted: string,
): ShownRow[] {
	const wantedAt = rows.findIndex(({ span }) => span.span_id === wanted)
	const holdsWanted = (from: number, end: number) => wantedAt >= from && wantedAt < end
	const shown: ShownRow[] = []
	/** The run to which the next rows belong; runs may contain runs. */
	const runs: { end: number; depth: number }[] = []
	for (let at = 0; at < rows.length; ) {
		while ((runs.at(-1)?.end ?? rows.length) <= at) runs.pop()
		const row = rows[at] as TreeRow
		const id = row.span.span_id
		if (runs.at(-1)?.depth !== row.depth) {
			const run = runAt(rows, at)
			const end = run.at(-1)?.end ?? at
			if (run.length >= runFrom) {
				const isOpen = holdsWanted(at, end) || (folds.get(`run:${id}`) ?? false)
				const failed = run.filter((one, index) => {
					const from = index === 0 ? at : (run[index - 1] as TreeRow).end
					return rows.slice(from, one.end).some(({ span }) => hasFailed(span))
				}).length
				shown.push({ id: `run:${id}`, depth: row.depth + runs.length, row, run, failed, isOpen })
				runs.push({ end, depth: row.depth })
				if (!isOpen) {
					at = end
					continue
				}
			}
		}
		const isOpen = row.end === at + 1 ? null : holdsWanted(at + 1, row.end) || (folds.get(id) ?? true)
		shown.push({
			id,
			depth: row.depth + runs.length,
			row,
			run: null,
			failed: Number(hasFailed(row.span)),
			isOpen,
		})
		at = isOpen === false ? row.end : at + 1
	}
	return shown
}

/** The equal calls that begin here: consecutive siblings, whatever is below them. */
function runAt(rows: readonly TreeRow[], at: number): TreeRow[] {
	const first = rows[at] as TreeRow
	const run = [first]
	for (let next = rows[first.end]; next && isAlike(first, next); next = rows[next.end]) run.push(next)
	return run
}

function isAlike(one: TreeRow, other: TreeRow): boolean {
	const [a, b] = [one.span, other.span]
	return (
		one.depth === other.depth &&
		a.kind === b.kind &&
		a.tool === b.tool &&
		a.server?.id === b.server?.id &&
		a.model === b.model &&
		(a.kind === 'tool_call' || a.name === b.name)
	)
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
