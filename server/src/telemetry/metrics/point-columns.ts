import {
	attributes,
	count,
	exactTime,
	label,
	namesOf,
	retentionColumn,
	senderColumns,
	smallCount,
	text,
	time,
} from '../columns.ts'

/** See `logRowFormat`. */
export const pointRowFormat = 130

const optionalNumber = 'Nullable(Float64) CODEC(ZSTD(1))'
const counts = 'Array(UInt64) CODEC(ZSTD(1))'
const numbers = 'Array(Float64) CODEC(ZSTD(1))'

/**
 * The columns of the `metrics` table in the order of the binary rows: one row for each data point of any kind. What a
 * kind does not have is zero, null or empty, which costs next to nothing on disk.
 */
export const pointColumns = [
	['workspace_id', text],
	retentionColumn,
	['metric', label],
	['kind', label],
	['unit', label],
	['description', text],
	['metadata', attributes],
	['metadata_types', attributes],
	/** 0 unspecified, 1 delta, 2 cumulative. */
	['temporality', 'UInt8'],
	['is_monotonic', 'UInt8'],
	['recorded_at', time],
	['start_time_unix_nano', exactTime],
	['attributes', attributes],
	['attribute_types', attributes],
	/** Bit 0: the point says that there is no value. */
	['flags', smallCount],
	/** Exactly one of these for gauges and sums that have a value. */
	['value_int', 'Nullable(Int64) CODEC(ZSTD(1))'],
	['value_double', optionalNumber],
	['count', count],
	['sum', optionalNumber],
	['min', optionalNumber],
	['max', optionalNumber],
	['bucket_counts', counts],
	['explicit_bounds', numbers],
	['scale', 'Int32 CODEC(ZSTD(1))'],
	['zero_count', count],
	['zero_threshold', 'Float64 CODEC(ZSTD(1))'],
	['positive_offset', 'Int32 CODEC(ZSTD(1))'],
	['positive_counts', counts],
	['negative_offset', 'Int32 CODEC(ZSTD(1))'],
	['negative_counts', counts],
	['quantiles', numbers],
	['quantile_values', numbers],
	/** A JSON array in OTLP's own JSON form, '' when empty. */
	['exemplars', text],
	...senderColumns,
] as const

export const pointColumnNames = namesOf(pointColumns)
