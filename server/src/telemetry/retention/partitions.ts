import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import { callJoins, traceLinks } from '../rollups/call-joins.ts'
import { completeChange, markHoursOf } from '../rollups/rollup-tables.ts'
import { rolledTables } from '../rollups/sum-tables.ts'
import { retainedTables } from '../tables.ts'

export type Store = Pick<TelemetryStore, 'query' | 'command'>

export interface Partition {
	table: string
	/** `<days>-<yyyymmdd>`: the retention and the day of its rows. */
	id: string
}

/** All tables that are partitioned by day: what was recorded, and what is derived from it. */
export const tablesOfDays: readonly string[] = [...retainedTables, callJoins, traceLinks, ...rolledTables]

/** SQL on a row of `system.parts`: the day and the retention in its partition's id. */
export const dayOfPart = "toDate(parseDateTime(splitByChar('-', partition_id)[2], '%Y%m%d', 'UTC'))"
const daysOfPart = "toUInt16(splitByChar('-', partition_id)[1])"

/** Drops partitions with all of their rows. The adjacent hours are rolled up again. */
export async function dropPartitions(store: Store, partitions: readonly Partition[]): Promise<void> {
	// Calls of an adjacent hour may have had views in the dropped day.
	const spans = partitions.filter(({ table }) => table === 'spans').map(({ id }) => id)
	if (spans.length > 0)
		await markHoursOf(store, '_partition_id IN {expired:Array(String)}', { expired: spans })
	// The engine's limit guards against mistakes; here a large partition is as old as a small one.
	for (const { table, id } of partitions)
		await store.command(
			`ALTER TABLE ${plain(table)} DROP PARTITION ID '${plain(id)}' SETTINGS max_partition_size_to_drop = 0`,
		)
	completeChange()
}

/** The newest day with stored rows, in ms since 1970; null if there are none. Senders may set times up to a day ahead. */
export async function newestDayMs(store: Pick<Store, 'query'>): Promise<number | null> {
	const [found] = await store.query<{ day: string | null }>(
		`SELECT toString(toUnixTimestamp(toDateTime(maxOrNull(${dayOfPart}), 'UTC'))) AS day FROM system.parts
		WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}`,
		{ tables: tablesOfDays },
	)
	return found?.day ? Number(found.day) * 1000 : null
}

/** Names come from the engine and are inserted into its SQL. */
function plain(name: string): string {
	if (!/^[\w-]+$/.test(name)) throw new Error(`The telemetry store has a name that is not plain: ${name}`)
	return name
}

/** Drops the partitions whose rows have all expired: those of a day, from `days` after its end on. Returns how many. */
export async function dropExpired(store: Store, nowMs: number): Promise<number> {
	const partitions = await store.query<Partition>(
		`SELECT DISTINCT table, partition_id AS id FROM system.parts
		WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}
			AND ${dayOfPart} + ${daysOfPart} < toDate(fromUnixTimestamp64Milli({now:Int64}, 'UTC'))
		ORDER BY table, id`,
		{ tables: tablesOfDays, now: nowMs },
	)
	await dropPartitions(store, partitions)
	return partitions.length
}
