import { callSides } from '@signalbox/contract'
import type { Confidence } from './gather-views.ts'
import type { StoredView } from './repository.ts'

export type Side = (typeof callSides)[number]
export interface SideView extends StoredView {
	side: Side
	confidence: Confidence
	/** Null without an outcome. */
	lengthNs: number | null
}

const sideOf: Record<number, Side> = { 1: 'client', 2: 'server', 3: 'gateway' }
const clientKind = 3

/** Of each side the span that tells most of it: the request itself of the client's, the outermost of the others. */
export function chooseSides(views: readonly (StoredView & { confidence: Confidence })[]): SideView[] {
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

/** A span of the server's or the gateway's trace that is shorter than theirs is a step of theirs, and no client's view. */
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
