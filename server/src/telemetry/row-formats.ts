import { namesOf, withoutRetention } from './columns.ts'
import {
	exchangeColumnNames,
	exchangeRowFormat,
	firstExchangeColumns,
	messageColumnNames,
	messageRowFormat,
} from './exchanges/exchange-columns.ts'
import { logColumnNames, logColumns, logRowFormat } from './logs/log-columns.ts'
import { pointColumnNames, pointColumns, pointRowFormat } from './metrics/point-columns.ts'

/** Where rows of a format go, and which columns they have. */
export interface RowFormat {
	table: string
	columns: readonly string[]
}

/** The formats of rows that are no spans. */
export const otherRowFormats: ReadonlyMap<number, RowFormat> = new Map([
	[65, { table: 'logs', columns: namesOf(withoutRetention(logColumns)) }],
	[129, { table: 'metrics', columns: namesOf(withoutRetention(pointColumns)) }],
	[logRowFormat, { table: 'logs', columns: logColumnNames }],
	[pointRowFormat, { table: 'metrics', columns: pointColumnNames }],
	[193, { table: 'exchanges', columns: namesOf(firstExchangeColumns) }],
	[exchangeRowFormat, { table: 'exchanges', columns: exchangeColumnNames }],
	[messageRowFormat, { table: 'messages', columns: messageColumnNames }],
])
