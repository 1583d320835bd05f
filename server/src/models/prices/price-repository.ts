import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { ownedRows } from '../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { callJoins, readStore } from '../../telemetry/index.ts'
import type { VendorFields } from '../vendor.ts'

export type PriceRow = ControlSchema['price_overrides']

export const {
	find: findPrice,
	list: listPrices,
	count: countPrices,
	insert: insertPrice,
} = ownedRows('price_overrides')

/** For the in-memory view, across workspaces. */
export function listPricesForView(db: Queryable, id?: string): Promise<PriceRow[]> {
	return db
		.selectFrom('price_overrides')
		.selectAll()
		.$if(id !== undefined, (query) => query.where('id', '=', id as string))
		.execute()
}

export async function endPrice(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	values: Pick<PriceRow, 'effective_until' | 'updated_at'>,
): Promise<void> {
	await tx
		.updateTable('price_overrides')
		.set(values)
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}

/** The connections of a workspace, by which calls that were recorded without one have a vendor. */
export function listVendorFields(
	db: Queryable,
	workspaceId: string,
): Promise<(VendorFields & { name: string })[]> {
	return db
		.selectFrom('connections')
		.select(['name', 'provider', 'base_url', 'priced_as'])
		.where('workspace_id', '=', workspaceId)
		.execute()
}

export interface UnpricedModel {
	connection: string
	provider: string
	called: string
	calls: string
	tokens: string
	last_ms: string
}

/** Models of recorded calls without a price, those with the most calls first. Views of another call do not count. */
export function listUnpriced(
	store: Pick<TelemetryStore, 'query'>,
	workspaceId: string,
	{ startMs, endMs }: TimeRange,
): Promise<UnpricedModel[]> {
	return readStore(() =>
		store.query<UnpricedModel>(
			`SELECT connection, provider, if(model = '', model_requested, model) AS called, count() AS calls,
				sum(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens + reasoning_tokens) AS tokens,
				max(toUnixTimestamp64Milli(started_at)) AS last_ms
			FROM spans
			WHERE workspace_id = {workspace:String} AND kind = 'model_call' AND isNull(cost_nano_usd)
				AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
				AND (trace_id, span_id) NOT IN (SELECT trace_id, span_id FROM ${callJoins} FINAL
					WHERE workspace_id = {workspace:String} AND hour >= toStartOfHour(fromUnixTimestamp64Milli({start:Int64}, 'UTC'))
						AND hour < fromUnixTimestamp64Milli({end:Int64}, 'UTC') AND is_hidden != 0)
			GROUP BY connection, provider, called ORDER BY calls DESC, connection, provider, called LIMIT 1000`,
			{ workspace: workspaceId, start: startMs, end: endMs },
		),
	)
}
