import type { Rejections } from './rejections.ts'

export interface DecodeOptions {
	workspaceId: string
	/** Spans that start before or after are rejected: they would expire at once, or never. */
	oldestNs: bigint
	newestNs: bigint
	/** The most that all rows together may take. */
	maxRowsBytes: number
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
