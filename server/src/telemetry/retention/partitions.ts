import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import { callJoins, traceLinks } from '../rollups/call-joins.ts'
import { markHoursOf } from '../rollups/rollup-tables.ts'
import { rolledTables } from '../rollups/sum-tables.ts'
import { retainedTables } from '../tables.ts'

export type Store = Pick<TelemetryStore, 'query' | 'command'>

export interface Partition {
	table: string
	/** `<days>-<yyyymmdd>`: how long its rows are kept, and the day of all of them. */
	id: string
}

/** All tables whose partitions are days: what was recorded, and what is made from it. */
export const tablesOfDays: readonly string[] = [...retainedTables, callJoins, traceLinks, ...rolledTables]

/** SQL about a row of `system.parts`: the day and the days that its partition's id says. */
export const dayOfPart = "toDate(parseDateTime(splitByChar('-', partition_id)[2], '%Y%m%d', 'UTC'))"
const daysOfPart = "toUInt16(splitByChar('-', partition_id)[1])"

/** Takes partitions away, with all of their rows; sums of the hours beside them are made again. */
export async function dropPartitions(store: Store, partitions: readonly Partition[]): Promise<void> {
	// Calls beside a dropped day may have been another view of one in it.
	const spans = partitions.filter(({ table }) => table === 'spans').map(({ id }) => id)
	if (spans.length > 0)
		await markHoursOf(store, '_partition_id IN {expired:Array(String)}', { expired: spans })
	// The bound is against a slip of the hand; here a large partition is as old as a small one.
	for (const { table, id } of partitions)
		await store.command(
			`ALTER TABLE ${plain(table)} DROP PARTITION ID '${plain(id)}' SETTINGS max_partition_size_to_drop = 0`,
		)
}

/** The newest day of which something is stored, ms since 1970; null: there is none. Senders may date spans ahead, by up to a day here. */
export async function newestDayMs(store: Pick<Store, 'query'>): Promise<number | null> {
	const [found] = await store.query<{ day: string | null }>(
		`SELECT toString(toUnixTimestamp(toDateTime(maxOrNull(${dayOfPart}), 'UTC'))) AS day FROM system.parts
		WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}`,
		{ tables: tablesOfDays },
	)
	return found?.day ? Number(found.day) * 1000 : null
}

/** Names come from the engine itself and go into its SQL. */
function plain(name: string): string {
	if (!/^[\w-]+$/.test(name)) throw new Error(`The telemetry store has a name that is not plain: ${name}`)
	return name
}

/**
 * Drops the partitions whose rows have all been kept for their time: those of a day, from `days` after its end on.
 * Returns how many.
 */
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
