import {
	attributes,
	exactTime,
	label,
	namesOf,
	retentionColumn,
	senderColumns,
	smallCount,
	text,
	time,
} from '../columns.ts'

/** Row format numbers are unique across all tables: spans start at 1, logs at 65, metrics at 129. */
export const logRowFormat = 66

/** The columns of the `logs` table in the order of the binary rows. */
export const logColumns = [
	['workspace_id', text],
	retentionColumn,
	/** When it happened; if the sender gives no time, when it was observed, otherwise when it was received. */
	['recorded_at', time],
	['time_unix_nano', exactTime],
	['observed_time_unix_nano', exactTime],
	/** All zero if there is none. */
	['trace_id', 'FixedString(16) CODEC(ZSTD(1))'],
	['span_id', 'FixedString(8) CODEC(ZSTD(1))'],
	['flags', smallCount],
	['severity_number', 'UInt32 CODEC(T64, ZSTD(1))'],
	['severity_text', label],
	['event_name', label],
	['body', text],
	/** As in `attribute_types`; '' for text. */
	['body_type', label],
	['attributes', attributes],
	['attribute_types', attributes],
	['dropped_attributes', smallCount],
	...senderColumns,
] as const

export const logColumnNames = namesOf(logColumns)
