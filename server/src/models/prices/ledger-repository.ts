import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { ledgerList, readStore } from '../../telemetry/index.ts'

type QueryStore = Pick<TelemetryStore, 'query'>

/** A row of the ledger as the store returns it, with 64-bit numbers as text. */
export interface StoredLedgerRow {
	start_ns: string
	trace: string
	span: string
	line: number
	agent_id: string
	credential_id: string
	session_id: string
	user_id: string
	connection: string
	provider: string
	billed_model: string
	dimension: string
	quantity: string
	iteration: number
	rate: string | null
	factor: string
	cost: string | null
	price: string
}

const filterColumns = {
	agent_uuid: 'agent_id',
	key_id: 'credential_id',
	session_id: 'session_id',
	user_id: 'user_id',
	connection: 'connection',
	model: 'billed_model',
	dimension: 'dimension',
} as const
export type LedgerFilter = { [Name in keyof typeof filterColumns]?: string | undefined }

/** A position in the list: start, trace, span and line. */
export type LedgerPlace = readonly [startNs: string, trace: string, span: string, line: string]

const fromLedger = `FROM spans ARRAY JOIN ${ledgerList('ledger_dimension')} AS dimension, ${ledgerList('ledger_quantity')} AS quantity,
	${ledgerList('ledger_cost_nano_usd')} AS cost, ${ledgerList('ledger_rate')} AS rate, ${ledgerList('ledger_factor')} AS factor,
	${ledgerList('ledger_iteration')} AS iteration, ${ledgerList('ledger_model')} AS billed_model,
	${ledgerList('ledger_price')} AS price, arrayEnumerate(${ledgerList('ledger_dimension')}) AS line
	WHERE workspace_id = {workspace:String} AND kind = 'model_call' AND source = 'model_proxy'
	AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`

/** Rows after a position, newest first; the lines of a call in their order. */
export function listLedger(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: LedgerFilter,
	{ after, limit }: { after: LedgerPlace | null; limit: number },
): Promise<StoredLedgerRow[]> {
	const [after_start, after_trace, after_span, after_line] = after ?? []
	const place = after
		? `AND started_at <= fromUnixTimestamp64Nano({after_start:Int64}, 'UTC')
			AND (started_at, trace_id, span_id, -toInt64(line)) < (fromUnixTimestamp64Nano({after_start:Int64}, 'UTC'),
				toFixedString(unhex({after_trace:String}), 16), toFixedString(unhex({after_span:String}), 8), -{after_line:Int64})`
		: ''
	return readStore(() =>
		store.query<StoredLedgerRow>(
			`SELECT toString(toUnixTimestamp64Nano(started_at)) AS start_ns, lower(hex(trace_id)) AS trace,
				lower(hex(span_id)) AS span, line, agent_id, credential_id, session_id, user_id, connection, provider,
				billed_model, dimension, toString(quantity) AS quantity, iteration, toString(rate) AS rate, factor,
				toString(cost) AS cost, price
			${fromLedger} ${conditions(filter)} ${place}
			ORDER BY started_at DESC, trace_id DESC, span_id DESC, line LIMIT {limit:UInt32}`,
			{
				...parameters(workspaceId, range, filter),
				limit,
				...(after && { after_start, after_trace, after_span, after_line }),
			},
		),
	)
}

export interface LedgerSums {
	line_count: string
	cost_sum: string
	unpriced: string
}

/** Sums over everything that matches the filter. The cost includes only calls with a price for every part. */
export async function sumLedger(
	store: QueryStore,
	workspaceId: string,
	range: TimeRange,
	filter: LedgerFilter,
): Promise<LedgerSums> {
	const [sums] = await readStore(() =>
		store.query<LedgerSums>(
			`SELECT toString(count()) AS line_count, toString(ifNull(sumIf(cost, isNotNull(cost_nano_usd)), 0)) AS cost_sum,
				toString(countIf(isNull(cost_nano_usd))) AS unpriced
			${fromLedger} ${conditions(filter)}`,
			parameters(workspaceId, range, filter),
		),
	)
	return sums as LedgerSums
}

const names = Object.keys(filterColumns) as (keyof LedgerFilter)[]

function conditions(filter: LedgerFilter): string {
	const wanted = names.filter((name) => filter[name] !== undefined)
	return wanted.map((name) => `AND ${filterColumns[name]} = {${name}:String}`).join(' ')
}

function parameters(workspace: string, { startMs, endMs }: TimeRange, filter: LedgerFilter) {
	return { workspace, start: startMs, end: endMs, ...filter }
}
