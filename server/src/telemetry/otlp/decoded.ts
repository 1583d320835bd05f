import type { RuleSet } from '../redaction/redactor.ts'
import type { SpanRow } from '../span-row.ts'
import { type Signal, signals } from './signals.ts'

const statuses: readonly SpanRow['status'][] = ['unset', 'ok', 'error']

/** The status of OTLP's number; one that is not known says nothing. */
export function statusOf(code: number): SpanRow['status'] {
	return statuses[code] ?? 'unset'
}

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
		([reason, count]) => `${count} ${item}${count === 1 ? '' : 's'}: ${reason.replace(/\.$/, '')}`,
	)
	const idless = Object.keys(rejections).every((reason) => reason === reasons.traceId)
	if (storedCount === 0 && idless) parts.push('Are these logs or metrics? This path takes traces')
	return `${parts.join('. ')}.`
}

export interface DecodeOptions {
	workspaceId: string
	/** How long the rows are kept. */
	retentionDays: number
	/** How long the calls are kept that logs tell of; like the rows where nothing is said. */
	spanRetentionDays?: number
	/** What is older or newer is rejected: it would expire at once, or never. */
	oldestNs: bigint
	newestNs: bigint
	/** Stands for the time of a log record that says none. */
	nowNs: bigint
	/** The most that all rows together may take. */
	maxRowsBytes: number
	/** The workspace's own rules of redaction, where it has any. */
	rules?: RuleSet
}

export interface Decoded {
	/** A block of spans, or RowBinary of log records and points. */
	rows: Buffer<ArrayBuffer>
	count: number
	rejections: Rejections
	/** A block of spans: the calls that log records tell of. */
	calls?: { rows: Buffer<ArrayBuffer>; count: number }
}

/** The body says more than one request may make of it: a resource repeated for every span, say. */
export class ExpandsTooFar extends Error {
	override name = 'ExpandsTooFar'
}

/** Rejects what would expire at once, or never. `field` names the time in the reason. */
export function checkTime(
	timeNs: bigint,
	{ oldestNs, newestNs }: Pick<DecodeOptions, 'oldestNs' | 'newestNs'>,
	field: string,
): void {
	if (timeNs === 0n || timeNs >= 1n << 63n) throw new Rejected(`${field} is missing or out of range`)
	if (timeNs < oldestNs) throw new Rejected(`${field} is older than the retention`)
	if (timeNs > newestNs) throw new Rejected(`${field} is more than a day ahead`)
}
