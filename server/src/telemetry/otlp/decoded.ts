import type { RuleSet } from '../redaction/rule.ts'
import type { Rejections } from './rejections.ts'

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
