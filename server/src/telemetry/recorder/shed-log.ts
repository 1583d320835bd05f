import { setTimeout as sleep } from 'node:timers/promises'
import { listSegments } from './log-files.ts'
import type { SegmentWriter } from './segment-writer.ts'
import type { Shipper } from './shipper.ts'

interface ShedParts {
	directory: string
	writer: SegmentWriter
	shipper: Shipper
}

const lookEveryMs = 20

/** See `LogRecorder.shed`. The directory itself is asked: what is removed is gone from there. */
export async function shedLog({ directory, writer, shipper }: ShedParts, waitMs: number): Promise<boolean> {
	// Each attempt begins a segment: while the store is away there is nothing to gain by one.
	if (shipper.failure !== null && shipper.pendingRows() > 0) return false
	const deadline = performance.now() + waitMs
	const last = listSegments(directory).at(-1) ?? 0
	try {
		await writer.endSegment()
	} catch {
		return false
	}
	for (;;) {
		if ((listSegments(directory)[0] ?? Number.POSITIVE_INFINITY) > last) return true
		if (performance.now() > deadline) return false
		shipper.look()
		await sleep(lookEveryMs)
	}
}
