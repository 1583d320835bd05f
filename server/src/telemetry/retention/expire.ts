import {
	dayOfPart,
	daysOfPart,
	dropPartitions,
	type Partition,
	type Store,
	tablesOfDays,
} from './partitions.ts'

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
