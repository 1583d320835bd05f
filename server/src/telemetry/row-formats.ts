import { logColumnNames, logRowFormat } from './logs/log-columns.ts'
import { pointColumnNames, pointRowFormat } from './metrics/point-columns.ts'

/** Where rows of a format go, and which columns they have. */
export interface RowFormat {
	table: string
	columns: readonly string[]
}

/** The formats of rows that are no spans. */
export const otherRowFormats: ReadonlyMap<number, RowFormat> = new Map([
	[logRowFormat, { table: 'logs', columns: logColumnNames }],
	[pointRowFormat, { table: 'metrics', columns: pointColumnNames }],
])
