import type { LogSegment } from './log-segment.ts'
import type { Range } from './manifest-state.ts'
import type { BatchPart, BatchRequest } from './read-batch.ts'

/** A range on its way into the engine. */
export interface Batch {
	segment: LogSegment
	range: Range
	/** The parts that the engine has taken since this process began to send it. */
	stored: Omit<BatchPart, 'bytes'>[]
}

export function keyOf({ segment, range }: Pick<Batch, 'segment' | 'range'>): string {
	return `${segment.header.number}:${range.from}-${range.to}`
}

export function toRequest({ header }: LogSegment, { from, to, storedFormats = [] }: Range): BatchRequest {
	return { number: header.number, marker: header.marker, from, to, storedFormats }
}
