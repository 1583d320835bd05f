import type { RuleSet } from '../redaction/rule.ts'
import type { Rejections } from './rejections.ts'

export interface DecodeOptions {
	workspaceId: string
	/** How long the rows are kept. */
	retentionDays: number
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
	/** RowBinary. */
	rows: Buffer<ArrayBuffer>
	count: number
	rejections: Rejections
}

/** The body says more than one request may make of it: a resource repeated for every span, say. */
export class ExpandsTooFar extends Error {
	override name = 'ExpandsTooFar'
}
