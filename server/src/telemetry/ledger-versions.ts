import { type Columns, retentionColumn, text, time } from './columns.ts'
import { ledgerColumns, spanColumns } from './span-columns.ts'
import type { TableShape } from './tables.ts'

/** What another price changes of a call. */
export const pricedColumnNames = [
	...['cost_nano_usd', 'ledger_cost_nano_usd', 'ledger_rate', 'ledger_factor', 'ledger_price'],
] as const

const typeOf = new Map<string, string>([...spanColumns, ...ledgerColumns])

/** Every version of the ledger's rows of calls that were priced anew; `spans` has the newest. */
export const ledgerVersionColumns: Columns = [
	['workspace_id', text],
	retentionColumn,
	['started_at', time],
	['trace_id', 'FixedString(16) CODEC(ZSTD(1))'],
	['span_id', 'FixedString(8) CODEC(ZSTD(1))'],
	/** The id of the re-pricing, which sorts by its time; '' for what the call was recorded with. */
	['revision', text],
	['part', 'UInt32 CODEC(ZSTD(1))'],
	...pricedColumnNames.map((name) => [name, typeOf.get(name) ?? ''] as const),
]

export const ledgerVersionsShape: TableShape = {
	name: 'ledger_versions',
	time: 'started_at',
	indexes: [],
	primaryKey: 'workspace_id, trace_id, span_id',
	orderBy: 'workspace_id, trace_id, span_id, revision',
}
