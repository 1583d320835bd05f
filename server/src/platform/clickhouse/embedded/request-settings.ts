import { StatementRefused } from './sql-statement.ts'

const numericSettings = new Set([
	'max_execution_time',
	'max_memory_usage',
	'max_threads',
	'max_result_rows',
	'max_result_bytes',
	'max_rows_to_read',
	'max_bytes_to_read',
	'max_block_size',
	'async_insert',
	'wait_for_async_insert',
	'insert_deduplicate',
	'max_partitions_per_insert_block',
	'deduplicate_blocks_in_dependent_materialized_views',
	'output_format_json_quote_64bit_integers',
	'output_format_json_quote_decimals',
	'mutations_sync',
	'alter_sync',
	'lightweight_deletes_sync',
	'optimize_throw_if_noop',
	'final',
])

/** Meaningful to an HTTP server only; the client sends some of them by itself. */
const ignoredSettings = new Set([
	'wait_end_of_query',
	'send_progress_in_http_headers',
	'http_headers_progress_interval_ms',
	'enable_http_compression',
	'buffer_size',
	'default_format',
	'query',
	'query_id',
	'database',
	'session_id',
])

/**
 * The request's settings as a SETTINGS clause ('' when there are none): written into the SQL they end with the
 * statement, while the engine's own SET would stay on the connection for the next caller.
 * @param tag marks the running query so that it can be found and killed; hex digits and dashes
 */
export function settingsClause(search: URLSearchParams, tag?: string): string {
	const parts = tag === undefined ? [] : [`log_comment='${tag}'`]
	for (const [name, value] of search) {
		if (name.startsWith('param_') || ignoredSettings.has(name)) continue
		parts.push(`${name}=${settingLiteral(name, value)}`)
	}
	return parts.length === 0 ? '' : ` SETTINGS ${parts.join(', ')}`
}

function settingLiteral(name: string, value: string): string {
	if (numericSettings.has(name) && /^\d{1,18}(\.\d{1,9})?$/.test(value)) return value
	if (name === 'insert_deduplication_token' && /^[A-Za-z0-9_.:/@-]{1,256}$/.test(value)) return `'${value}'`
	if (name === 'overflow_mode' || name === 'result_overflow_mode') {
		if (value === 'throw' || value === 'break') return `'${value}'`
	}
	throw new StatementRefused(`The setting ${name.slice(0, 64)} is not accepted, or its value is not.`)
}
