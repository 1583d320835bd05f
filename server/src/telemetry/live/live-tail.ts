import { WatchedWorkspaces } from '../../platform/processes/index.ts'
import { decodeSpanBlock } from '../blocks/span-block.ts'
import { presentSpan } from '../present-span.ts'
import type { SpanRow } from '../span-row.ts'

/** What a viewer gets; both return at once. */
export interface Viewer {
	/** One event in the wire form of server-sent events. */
	show(event: string): void
	/** Spans that were recorded but not shown. */
	miss(count: number): void
}

/** Of one recorded batch, so that a large one does not hold the event loop. */
export const mostShownAtOnce = 200

/** Passes recorded rows on to those who watch their workspace; without viewers it does nothing. */
export class LiveTail {
	readonly #viewers = new Map<string, Set<Viewer>>()
	readonly #watched: Pick<WatchedWorkspaces, 'add'>

	constructor(watched: Pick<WatchedWorkspaces, 'add'> = new WatchedWorkspaces()) {
		this.#watched = watched
	}

	publish(rows: readonly SpanRow[]): void {
		if (this.#viewers.size === 0) return
		for (const row of rows) {
			const viewers = this.#viewers.get(row.workspaceId)
			if (viewers) show(viewers, row)
		}
	}

	/** The same for a block of rows: the first 200 are shown, the others reported as missed. */
	publishEncoded(workspaceId: string, rows: Buffer, count: number): void {
		const viewers = this.#viewers.get(workspaceId)
		if (!viewers) return
		for (const row of decodeSpanBlock(rows, mostShownAtOnce)) show(viewers, row)
		if (count > mostShownAtOnce) for (const viewer of viewers) viewer.miss(count - mostShownAtOnce)
	}

	/** Returns the way out. */
	watch(workspaceId: string, viewer: Viewer): () => void {
		const viewers = this.#viewers.get(workspaceId) ?? new Set()
		this.#viewers.set(workspaceId, viewers.add(viewer))
		const unwatch = this.#watched.add(workspaceId)
		return () => {
			unwatch()
			viewers.delete(viewer)
			if (viewers.size === 0 && this.#viewers.get(workspaceId) === viewers) this.#viewers.delete(workspaceId)
		}
	}

	viewers(workspaceId: string): number {
		return this.#viewers.get(workspaceId)?.size ?? 0
	}
}

function show(viewers: ReadonlySet<Viewer>, row: SpanRow): void {
	const event = `event: span\ndata: ${JSON.stringify(presentSpan(row))}\n\n`
	for (const viewer of viewers) viewer.show(event)
}
