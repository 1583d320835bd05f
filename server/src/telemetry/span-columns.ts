import { namesOf, retentionColumn } from './columns.ts'

/** Rows in the log have the number of their format, so a change of the columns needs a new number, and old rows stay readable. */
export const spanRowFormat = 3
/** Blocks of spans with the same columns and the view keys: see `blocks/block.ts`. */
export const spanBlockFormat = 5
/** Blocks without view keys, which the engine then computes. */
export const olderSpanBlockFormat = 4

const text = 'String CODEC(ZSTD(1))'
/** A dictionary makes grouping cheap and inserting expensive, so it is used only for columns by which queries group. */
const label = 'LowCardinality(String)'
const count = 'UInt64 CODEC(T64, ZSTD(1))'
const attributes = 'Map(String, String) CODEC(ZSTD(1))'

/** The columns of the `spans` table in the order of the binary rows, as of row format 1. */
export const firstSpanColumns = [
	['workspace_id', text],
	['started_at', "DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1))"],
	['duration_ns', 'UInt64 CODEC(T64, ZSTD(1))'],
	['trace_id', 'FixedString(16) CODEC(ZSTD(1))'],
	['span_id', 'FixedString(8) CODEC(ZSTD(1))'],
	/** All zero if there is none. */
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
	/** Types of values that are not text: int, double, bool, bytes, array, kvlist, empty. Their text is in `attributes`. */
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

/** Columns that row format 2 added: how the columns were derived, and the lines of the ledger, one per billed quantity. */
export const ledgerColumns = [
	['dialect', label],
	['mapper_version', 'UInt16 CODEC(ZSTD(1))'],
	/** 'computed' with our prices, 'reported' by the sender, '' if there is no cost. */
	['cost_source', label],
	['ledger_dimension', `Array(${label}) CODEC(ZSTD(1))`],
	['ledger_quantity', 'Array(UInt64) CODEC(ZSTD(1))'],
	['ledger_cost_nano_usd', 'Array(Nullable(Int64)) CODEC(ZSTD(1))'],
	/** Nano-dollars per 1,000,000 units, before the factor. */
	['ledger_rate', 'Array(Nullable(UInt64)) CODEC(ZSTD(1))'],
	['ledger_factor', 'Array(String) CODEC(ZSTD(1))'],
	['ledger_iteration', 'Array(UInt16) CODEC(ZSTD(1))'],
	['ledger_model', 'Array(String) CODEC(ZSTD(1))'],
	['ledger_price', 'Array(String) CODEC(ZSTD(1))'],
] as const

const [workspaceColumn, ...otherFirstColumns] = firstSpanColumns

export const spanColumns = [workspaceColumn, retentionColumn, ...otherFirstColumns, ...ledgerColumns] as const

export const spanColumnNames: readonly string[] = namesOf(spanColumns)

/** The columns of rows that an older version left in the log. */
export const olderRowFormats: ReadonlyMap<number, readonly string[]> = new Map([
	[1, namesOf(firstSpanColumns)],
	[2, namesOf([...firstSpanColumns, ...ledgerColumns])],
])
