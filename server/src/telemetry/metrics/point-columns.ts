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
 * The columns of the `metrics` table in the order of the binary rows: one row per data point of any kind. Columns that a kind does
 * not use are zero, null or empty, which costs next to nothing on disk.
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
	/** 0: unspecified, 1: delta, 2: cumulative. */
	['temporality', 'UInt8'],
	['is_monotonic', 'UInt8'],
	['recorded_at', time],
	['start_time_unix_nano', exactTime],
	['attributes', attributes],
	['attribute_types', attributes],
	/** Bit 0: the point has no recorded value. */
	['flags', smallCount],
	/** For gauges and sums with a value, exactly one of these is set. */
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
	/** A JSON array in OTLP's own JSON form; '' if empty. */
	['exemplars', text],
	...senderColumns,
] as const

export const pointColumnNames = namesOf(pointColumns)
