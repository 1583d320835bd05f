import { label, namesOf, retentionColumn, smallCount, text, time } from '../columns.ts'

/** See `logRowFormat`: exchanges count from 193, the texts of messages from 225. */
export const exchangeRowFormat = 194
export const messageRowFormat = 225

const ids = 'Array(String) CODEC(ZSTD(1))'
const hashes = 'Array(FixedString(16)) CODEC(ZSTD(1))'
const sizes = 'Array(UInt32) CODEC(ZSTD(1))'

/** The columns of the `exchanges` table in the order of the binary rows, as they were in row format 193. */
export const firstExchangeColumns = [
	['workspace_id', text],
	retentionColumn,
	/** When the call began. */
	['recorded_at', time],
	['trace_id', 'FixedString(16) CODEC(ZSTD(1))'],
	['span_id', 'FixedString(8) CODEC(ZSTD(1))'],
	['session_id', text],
	['user_id', text],
	/** The pieces of the call in the order of the prompt; four lists of one length. */
	['part_kind', `Array(${label}) CODEC(ZSTD(1))`],
	['part_name', ids],
	['part_hash', hashes],
	['part_bytes', sizes],
	['tool_use_id', ids],
	['tool_use_name', ids],
	['tool_use_arguments', hashes],
	['result_id', ids],
	['result_name', ids],
	['result_bytes', sizes],
	['cache_marks', smallCount],
	['cache_seconds', smallCount],
] as const

/** What row format 194 added; the lists are empty in rows from before. */
export const weightColumns = [
	['part_weight', sizes],
	['result_part', sizes],
] as const

export const exchangeColumns = [...firstExchangeColumns, ...weightColumns] as const

/** The columns of the `messages` table: texts under their hashes, once a day. */
export const messageColumns = [
	['workspace_id', text],
	retentionColumn,
	['recorded_at', time],
	['hash', 'FixedString(16) CODEC(ZSTD(1))'],
	['text', text],
] as const

export const exchangeColumnNames = namesOf(exchangeColumns)
export const messageColumnNames = namesOf(messageColumns)
