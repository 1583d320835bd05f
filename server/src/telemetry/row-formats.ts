import type { ColumnLayout } from './blocks/column-writer.ts'
import { spanLayouts } from './blocks/span-block.ts'
import { namesOf, withoutRetention } from './columns.ts'
import {
	exchangeColumnNames,
	exchangeRowFormat,
	firstExchangeColumns,
	messageColumnNames,
	messageRowFormat,
} from './exchanges/exchange.ts'
import { logColumnNames, logColumns, logRowFormat } from './logs/log-columns.ts'
import { pointColumnNames, pointColumns, pointRowFormat } from './metrics/point-columns.ts'
import { spanBlockFormat, spanColumnNames } from './span-columns.ts'

/** Where rows of a format go, and which columns they have. */
export interface RowFormat {
	table: string
	columns: readonly string[]
	/** Where the bytes are blocks: how their columns lie. */
	layouts?: readonly ColumnLayout[]
}

/** The formats of rows that are no spans, and of blocks. */
export const otherRowFormats: ReadonlyMap<number, RowFormat> = new Map<number, RowFormat>([
	[spanBlockFormat, { table: 'spans', columns: spanColumnNames, layouts: spanLayouts }],
	[65, { table: 'logs', columns: namesOf(withoutRetention(logColumns)) }],
	[129, { table: 'metrics', columns: namesOf(withoutRetention(pointColumns)) }],
	[logRowFormat, { table: 'logs', columns: logColumnNames }],
	[pointRowFormat, { table: 'metrics', columns: pointColumnNames }],
	[193, { table: 'exchanges', columns: namesOf(firstExchangeColumns) }],
	[exchangeRowFormat, { table: 'exchanges', columns: exchangeColumnNames }],
	[messageRowFormat, { table: 'messages', columns: messageColumnNames }],
])
