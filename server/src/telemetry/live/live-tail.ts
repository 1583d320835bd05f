import { type Processes, primary } from '../../platform/processes/processes.ts'
import { WatchedWorkspaces } from '../../platform/processes/watched-workspaces.ts'
import { decodeSpanBlock, encodeSpanBlock } from '../blocks/span-block.ts'
import { presentSpan } from '../present-span.ts'
import type { SpanRow } from '../span-row.ts'

/** A viewer's methods; both are synchronous. */
interface Viewer {
	/** One event in the wire form of server-sent events. */
	show(event: string): void
	/** Reports spans that were recorded but not shown. */
	miss(count: number): void
}

/** Per recorded batch, so that a large one does not block the event loop. */
const maxShownAtOnce = 200

/** Passes recorded rows to the viewers of their workspace; does nothing without viewers. */
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
		for (const row of decodeSpanBlock(rows, maxShownAtOnce)) show(viewers, row)
		if (count > maxShownAtOnce) for (const viewer of viewers) viewer.miss(count - maxShownAtOnce)
	}

	/** Returns a function that ends it. */
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

const recorded = 'live.recorded'

interface Recorded {
	workspaceId: string
	rows: Buffer
	count: number
}

/** A worker's live tail: the primary shows what it records for watched workspaces. */
export function passToPrimary(
	processes: Processes,
	watched: WatchedWorkspaces,
): Pick<LiveTail, 'publish' | 'publishEncoded'> {
	const publishEncoded = (workspaceId: string, rows: Buffer, count: number) => {
		if (!watched.has(workspaceId)) return
		// A copy, because the pipe may have to wait and the rows are freed.
		const first = count > maxShownAtOnce ? firstRows(rows) : Buffer.from(rows)
		processes.tell(primary, recorded, { workspaceId, rows: first, count })
	}
	return {
		publish: (rows) => {
			for (const row of rows)
				if (watched.has(row.workspaceId)) publishEncoded(row.workspaceId, encodeSpanBlock([row]), 1)
		},
		publishEncoded,
	}
}

/** Of a large body, only the rows that are shown go through the pipe. */
function firstRows(rows: Buffer): Buffer {
	return encodeSpanBlock(decodeSpanBlock(rows, maxShownAtOnce))
}

/** Shows in the primary what workers pass to it. */
export function showFromWorkers(
	processes: Processes,
	live: LiveTail,
	showCalls: (rows: readonly SpanRow[]) => void,
): void {
	processes.answer(recorded, ({ workspaceId, rows, count }: Recorded) => {
		live.publishEncoded(workspaceId, rows, count)
		showCalls(decodeSpanBlock(rows, maxShownAtOnce))
	})
}
