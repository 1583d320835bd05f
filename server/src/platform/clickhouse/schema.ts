import type { TelemetryStore } from './store.ts'

export interface DurableSettingsOptions {
	/** How many past insert blocks a table remembers. At least ten times the batches in flight. */
	deduplicationWindow?: number
	/** Further settings of the table, such as `ttl_only_drop_parts`. Names and values are ours, never a user's. */
	extra?: Record<string, string | number>
}

/**
 * The SETTINGS clause that every table must have, targets of materialised views included. Without all four
 * flush settings a power cut loses acknowledged rows or leaves a table that does not load: the engine flushes
 * nothing by default, and it deletes the flushed sources of a merge before the merged part is on disk.
 */
export function durableSettings({
	deduplicationWindow = 10_000,
	extra = {},
}: DurableSettingsOptions = {}): string {
	const settings = {
		fsync_after_insert: 1,
		fsync_part_directory: 1,
		min_rows_to_fsync_after_merge: 1,
		old_parts_lifetime: 480,
		max_suspicious_broken_parts: 10_000,
		non_replicated_deduplication_window: deduplicationWindow,
		...extra,
	}
	return `SETTINGS ${Object.entries(settings)
		.map(([name, value]) => `${name} = ${value}`)
		.join(', ')}`
}

/** The names of the tables whose settings would lose rows in a power cut. Empty when all is well. */
export async function findUndurableTables(store: Pick<TelemetryStore, 'query'>): Promise<string[]> {
	const rows = await store.query<{ name: string }>(
		`SELECT name FROM system.tables
		WHERE database = currentDatabase() AND engine LIKE '%MergeTree'
			AND NOT (engine_full LIKE '%fsync_after_insert = 1%' AND engine_full LIKE '%fsync_part_directory = 1%'
				AND engine_full LIKE '%min_rows_to_fsync_after_merge = 1%' AND engine_full LIKE '%old_parts_lifetime = 480%')
		ORDER BY name`,
	)
	return rows.map((row) => row.name)
}
