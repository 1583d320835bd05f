import { failedStatuses } from '@signalbox/contract/span-status'
/** Column types that several telemetry tables use. */
export const text = 'String CODEC(ZSTD(1))'
/** A dictionary makes grouping cheap and inserting expensive, so it is used only for columns by which queries group. */
export const label = 'LowCardinality(String)'
export const count = 'UInt64 CODEC(T64, ZSTD(1))'
export const smallCount = 'UInt32 CODEC(T64, ZSTD(1))'
export const time = "DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1))"
/** A time in nanoseconds as it was sent; 0 if it was not. */
export const exactTime = 'UInt64 CODEC(Delta, ZSTD(1))'
export const attributes = 'Map(String, String) CODEC(ZSTD(1))'

/** When the engine began to insert a row; 1970 for rows from before this column existed. Not part of binary rows. */
export const storedAt = 'stored_at'
export const storedAtType = "DateTime64(3, 'UTC')"

/**
 * The retention of a row in days, fixed when it is written. It is half of the partition key, so that rows expire by whole partitions.
 */
export const retentionColumn = ['retention_days', 'UInt16 CODEC(T64, ZSTD(1))'] as const

/** The origin of a log record or data point, in the order of the binary rows. */
export const senderColumns = [
	['service_name', label],
	['resource', attributes],
	['resource_types', attributes],
	['resource_dropped_attributes', smallCount],
	['resource_schema_url', text],
	['scope_name', text],
	['scope_version', text],
	['scope_attributes', attributes],
	['scope_attribute_types', attributes],
	['scope_dropped_attributes', smallCount],
	['scope_schema_url', text],
] as const

export type Columns = readonly (readonly [name: string, type: string])[]

/** The columns of rows from before they had a retention. */
export function withoutRetention(columns: Columns): Columns {
	return columns.filter(([name]) => name !== retentionColumn[0])
}

export function namesOf(columns: Columns): string[] {
	return columns.map(([name]) => name)
}

export function definitionsOf(columns: Columns): string {
	return columns.map(([name, type]) => `\t${name} ${type}`).join(',\n')
}

/** SQL for whether a call failed, was refused or interrupted, or has no outcome. `status` is the column. */
export function isFailed(status = 'status'): string {
	return `${status} IN (${failedStatuses.map((one) => `'${one}'`).join(', ')})`
}

/** The events of a failed span whose status has no message, if one of them is an exception with a message; otherwise ''. */
export const exceptionsWithoutMessage = `if(status_message = '' AND ${isFailed()} AND position(events, 'exception.message') > 0, events, '')`

const storedEvents =
	'Array(Tuple(name String, attributes Array(Tuple(key String, value Tuple(stringValue String)))))'
/** See `isException` in exceptions.ts. */
const isException = `event.name = 'exception' OR arrayExists(attribute -> attribute.key = 'exception.message', event.attributes)`
const lastException = `arrayLast(event -> ${isException}, JSONExtract(${exceptionsWithoutMessage}, '${storedEvents}'))`
/** SQL for the message of a span as it is shown: that of its status; that of its last exception if it failed without one. */
export const messageOfSpan = `if(status_message != '', status_message,
	arrayFirst(attribute -> attribute.key = 'exception.message', ${lastException}.attributes).value.stringValue)`

/**
 * The column is one of some ids: hex texts of all their bytes, in a parameter of the name. They are put together and taken apart again, since
 * the engine looks for constants alone by an index; a subquery takes two milliseconds more to plan, and a lambda makes no constants for it.
 */
export const isOneOfIds = (column: string, parameter: string, bytes: 8 | 16 = 16) =>
	`${column} IN (reinterpret(unhex(arrayStringConcat({${parameter}:Array(String)})), 'Array(FixedString(${bytes}))'))`

/** The start of a query for spans of certain traces only (parameter `traces`), for which little must be read from the log. */
export const fromSpansOfTraces = `FROM spans WHERE workspace_id = {workspace:String} AND ${isOneOfIds('trace_id', 'traces')}`
