import type { ColumnLayout } from './blocks/column-writer.ts'
import {
	spanLayouts,
	spanLayoutsOfLists,
	spanLayoutsOfMaps,
	spanLayoutsWithoutKeys,
} from './blocks/span-block.ts'
import { type Columns, namesOf, withoutRetention } from './columns.ts'
import {
	exchangeColumnNames,
	exchangeRowFormat,
	firstExchangeColumns,
	messageColumnNames,
	messageRowFormat,
} from './exchanges/exchange.ts'
import { logColumnNames, logColumns, logRowFormat } from './logs/log-columns.ts'
import { pointColumnNames, pointColumns, pointRowFormat } from './metrics/point-columns.ts'
import {
	olderSpanBlockFormat,
	spanBlockFormat,
	spanBlockFormatOfLists,
	spanBlockFormatOfMaps,
} from './span-columns.ts'

/** The table of rows of a format, and their columns. */
export interface RowFormat {
	table: string
	columns: readonly string[]
	/** Types of the columns, if queries read the rows from the log. */
	types?: readonly string[]
	/** If the bytes are blocks: the layouts of their columns. */
	layouts?: readonly ColumnLayout[]
}

/** The formats of rows other than spans, and of blocks. */
export const otherRowFormats: ReadonlyMap<number, RowFormat> = new Map<number, RowFormat>([
	...[
		[olderSpanBlockFormat, spanLayoutsWithoutKeys] as const,
		[spanBlockFormatOfLists, spanLayoutsOfLists] as const,
		[spanBlockFormatOfMaps, spanLayoutsOfMaps] as const,
	].map(([number, layouts]): [number, RowFormat] => [
		number,
		{ table: 'spans', columns: layouts.map(({ name }) => name), layouts },
	]),
	[
		spanBlockFormat,
		{
			table: 'spans',
			columns: spanLayouts.map(({ name }) => name),
			types: spanLayouts.map(({ type }) => type),
			layouts: spanLayouts,
		},
	],
	[65, { table: 'logs', columns: namesOf(withoutRetention(logColumns)) }],
	[129, { table: 'metrics', columns: namesOf(withoutRetention(pointColumns)) }],
	[logRowFormat, { table: 'logs', columns: logColumnNames, types: typesOf(logColumns) }],
	[pointRowFormat, { table: 'metrics', columns: pointColumnNames, types: typesOf(pointColumns) }],
	[193, { table: 'exchanges', columns: namesOf(firstExchangeColumns) }],
	[exchangeRowFormat, { table: 'exchanges', columns: exchangeColumnNames }],
	[messageRowFormat, { table: 'messages', columns: messageColumnNames }],
])

/** Types in binary rows. Dictionary encoding is left to the table. */
function typesOf(columns: Columns): string[] {
	return columns.map(([, definition]) =>
		definition.replace(/ CODEC\(.*$/, '').replaceAll('LowCardinality(String)', 'String'),
	)
}
