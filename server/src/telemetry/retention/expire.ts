import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import { markHoursOf } from '../rollups/mark-hours.ts'
import { rolledTables } from '../rollups/sum-tables.ts'
import { retainedTables } from '../tables.ts'

type Store = Pick<TelemetryStore, 'query' | 'command'>

interface Partition {
	table: string
	/** `<days>-<yyyymmdd>`: how long its rows are kept, and the day of all of them. */
	id: string
}

/**
 * Drops the partitions whose rows have all been kept for their time: those of a day, from `days` after its end on.
 * Returns how many.
 */
export async function dropExpired(store: Store, nowMs: number): Promise<number> {
	const partitions = await store.query<Partition>(
		`SELECT DISTINCT table, partition_id AS id FROM system.parts
		WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}
			AND toDate(parseDateTime(splitByChar('-', partition_id)[2], '%Y%m%d', 'UTC')) + toUInt16(splitByChar('-', partition_id)[1]) < toDate(fromUnixTimestamp64Milli({now:Int64}, 'UTC'))
		ORDER BY table, id`,
		{ tables: [...retainedTables, ...rolledTables], now: nowMs },
	)
	// Calls beside an expired day may have been another view of one in it.
	const spans = partitions.filter(({ table }) => table === 'spans').map(({ id }) => id)
	if (spans.length > 0)
		await markHoursOf(store, '_partition_id IN {expired:Array(String)}', { expired: spans })
	// The bound is against a slip of the hand; here a large partition is as old as a small one.
	for (const { table, id } of partitions)
		await store.command(
			`ALTER TABLE ${plain(table)} DROP PARTITION ID '${plain(id)}' SETTINGS max_partition_size_to_drop = 0`,
		)
	return partitions.length
}

/** Names come from the engine itself and go into its SQL. */
function plain(name: string): string {
	if (!/^[\w-]+$/.test(name)) throw new Error(`The telemetry store has a name that is not plain: ${name}`)
	return name
}
