import { type Signal, signals } from './signals.ts'

/** One span, point or record cannot be kept; the others of its request can. */
export class Rejected extends Error {
	override name = 'Rejected'
}

export const reasons = {
	traceId: 'trace_id is missing or not 16 bytes',
	spanId: 'span_id is missing or not 8 bytes',
	parentSpanId: 'parent_span_id is not 8 bytes',
	tooDeep: 'an attribute is nested deeper than 64 levels',
} as const

/** How deep lists may be nested in an attribute. */
export const deepest = 64

/** Reasons with the number of items that were rejected for each. */
export type Rejections = Record<string, number>

export function countRejections(rejections: Rejections): number {
	return Object.values(rejections).reduce((sum, count) => sum + count, 0)
}

/** One sentence per reason, with counts. */
export function describeRejections(rejections: Rejections, storedCount: number, signal: Signal): string {
	const { item } = signals[signal]
	const parts = Object.entries(rejections).map(
		([reason, count]) => `${count} ${item}${count === 1 ? '' : 's'}: ${reason}`,
	)
	const idless = Object.keys(rejections).every((reason) => reason === reasons.traceId)
	if (storedCount === 0 && idless) parts.push('Are these logs or metrics? This path takes traces')
	return `${parts.join('. ')}.`
}
