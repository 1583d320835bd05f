import type { RuleSet } from '../redaction/redactor.ts'

/** One span, data point or log record cannot be stored; the others of its request can. */
export class Rejected extends Error {
	override name = 'Rejected'
}

export const reasons = {
	traceId: 'trace_id is missing or not 16 bytes',
	spanId: 'span_id is missing or not 8 bytes',
	parentSpanId: 'parent_span_id is not 8 bytes',
	tooDeep: 'an attribute is nested deeper than 64 levels',
} as const

/** Maximum nesting depth of an attribute's value. */
export const deepest = 64

/** Number of rejected items by reason. */
export type Rejections = Record<string, number>

export interface DecodeOptions {
	workspaceId: string
	/** Retention of the rows. */
	retentionDays: number
	/** Retention of calls derived from log records. Default: `retentionDays`. */
	spanRetentionDays?: number
	/** Anything older or newer is rejected, because it would expire at once, or never. */
	oldestNs: bigint
	newestNs: bigint
	/** The time of a log record that has none. */
	nowNs: bigint
	/** Maximum size of all rows together. */
	maxRowsBytes: number
	/** The workspace's own redaction rules, if it has any. */
	rules?: RuleSet
}

export interface Decoded {
	/** A block of spans, or RowBinary of log records or data points. */
	rows: Buffer<ArrayBuffer>
	count: number
	rejections: Rejections
	/** A block of spans: the calls that log records report. */
	calls?: { rows: Buffer<ArrayBuffer>; count: number }
}

/** The body expands to more than one request may contain, for example with a large resource that is copied to every span. */
export class ExpandsTooFar extends Error {
	override name = 'ExpandsTooFar'
}

/** Rejects a time that would expire at once, or never. `field` names the time in the reason. */
export function checkTime(
	timeNs: bigint,
	{ oldestNs, newestNs }: Pick<DecodeOptions, 'oldestNs' | 'newestNs'>,
	field: string,
): void {
	if (timeNs === 0n || timeNs >= 1n << 63n) throw new Rejected(`${field} is missing or out of range`)
	if (timeNs < oldestNs) throw new Rejected(`${field} is older than the retention`)
	if (timeNs > newestNs) throw new Rejected(`${field} is more than a day ahead`)
}
