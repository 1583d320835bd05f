import { type Processes, primary, type WatchedWorkspaces } from '../../platform/processes/index.ts'
import { decodeSpanBlock, encodeSpanBlock } from '../blocks/span-block.ts'
import type { SpanRow } from '../span-row.ts'
import { type LiveTail, mostShownAtOnce } from './live-tail.ts'

const recorded = 'live.recorded'

interface Recorded {
	workspaceId: string
	rows: Buffer
	count: number
}

/** A worker's live tail: what it records for workspaces that are watched is shown by the primary. */
export function passToPrimary(
	processes: Processes,
	watched: WatchedWorkspaces,
): Pick<LiveTail, 'publish' | 'publishEncoded'> {
	const publishEncoded = (workspaceId: string, rows: Buffer, count: number) => {
		if (!watched.has(workspaceId)) return
		// A copy: the pipe may have to wait, and the rows are freed.
		const first = count > mostShownAtOnce ? firstRows(rows) : Buffer.from(rows)
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

/** Of a large body only what is shown goes through the pipe. */
function firstRows(rows: Buffer): Buffer {
	return encodeSpanBlock(decodeSpanBlock(rows, mostShownAtOnce))
}

/** Shows in the primary what workers pass on. */
export function showFromWorkers(
	processes: Processes,
	live: LiveTail,
	showCalls: (rows: readonly SpanRow[]) => void,
): void {
	processes.answer(recorded, ({ workspaceId, rows, count }: Recorded) => {
		live.publishEncoded(workspaceId, rows, count)
		showCalls(decodeSpanBlock(rows, mostShownAtOnce))
	})
}
