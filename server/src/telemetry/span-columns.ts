/**
 * The columns of the `spans` table in the order of the binary rows. This list is row format 1: rows in the log carry the
 * number, so a change of the list is a new format, and the old one stays readable.
 */
export const spanRowFormat = 1

const text = 'String CODEC(ZSTD(1))'
/** A dictionary makes grouping cheap and inserting dear, so it is for what questions group by and for nothing else. */
const label = 'LowCardinality(String)'
const count = 'UInt64 CODEC(T64, ZSTD(1))'
const attributes = 'Map(String, String) CODEC(ZSTD(1))'

export const spanColumns = [
	['workspace_id', text],
	['started_at', "DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1))"],
	['duration_ns', 'UInt64 CODEC(T64, ZSTD(1))'],
	['trace_id', 'FixedString(16) CODEC(ZSTD(1))'],
	['span_id', 'FixedString(8) CODEC(ZSTD(1))'],
	/** All zero: none. */
	['parent_span_id', 'FixedString(8) CODEC(ZSTD(1))'],
	['trace_state', text],
	['name', text],
	['otlp_kind', 'UInt8'],
	['source', text],
	['kind', label],
	['status', text],
	['status_message', text],
	['error_type', text],
	['service_name', text],
	['scope_name', text],
	['scope_version', text],
	['agent_id', label],
	['agent_name', text],
	['server_id', label],
	['server_name', text],
	['tool_name', label],
	['mcp_method', text],
	['credential_id', text],
	['session_id', text],
	['user_id', text],
	['client', text],
	['connection', text],
	['provider', text],
	['model_requested', text],
	['model', label],
	['input_tokens', count],
	['cache_read_tokens', count],
	['cache_write_tokens', count],
	['output_tokens', count],
	['reasoning_tokens', count],
	['usage_source', text],
	['cost_nano_usd', 'Nullable(Int64) CODEC(ZSTD(1))'],
	['time_to_first_token_ns', 'Nullable(UInt64) CODEC(ZSTD(1))'],
	['http_status', 'Nullable(UInt16) CODEC(ZSTD(1))'],
	['rpc_code', 'Nullable(Int32) CODEC(ZSTD(1))'],
	['request_bytes', count],
	['response_bytes', count],
	['attributes', attributes],
	/** For values that are not text: int, double, bool, bytes, array, kvlist, empty. Their text is in `attributes`. */
	['attribute_types', attributes],
	['resource', attributes],
	['resource_types', attributes],
	['events', text],
	['links', text],
	['dropped_attributes', 'UInt32 CODEC(T64, ZSTD(1))'],
	['dropped_events', 'UInt32 CODEC(T64, ZSTD(1))'],
	['dropped_links', 'UInt32 CODEC(T64, ZSTD(1))'],
	['flags', 'UInt32 CODEC(T64, ZSTD(1))'],
	['resource_schema_url', text],
	['scope_schema_url', text],
] as const

export const spanColumnNames: readonly string[] = spanColumns.map(([name]) => name)
