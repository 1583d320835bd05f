import { openTelemetryStore } from '../../../server/src/platform/clickhouse/store.ts'
import { silentLog } from '../../../server/src/platform/log.ts'

export interface Weights {
	/** For small spans, which have no bodies, in a merged part; null if there are none. */
	bytesPerSmallSpan: number | null
	/** For the texts of model calls and the rows that refer to them. */
	bodiesBytes: number
}

/** The size on disk of the rows of a program that has ended. */
export async function weigh(dataDir: string, smallSpansDay: string): Promise<Weights> {
	const store = await openTelemetryStore({ dataDir, log: silentLog })
	try {
		const weight = async (condition: string): Promise<{ rows: number; bytes: number }> => {
			const [row] = await store.query<{ n: string; b: string }>(
				`SELECT sum(rows) AS n, sum(bytes_on_disk) AS b FROM system.parts
				WHERE database = currentDatabase() AND active AND ${condition}`,
				{ day: smallSpansDay },
			)
			return { rows: Number(row?.n), bytes: Number(row?.b) }
		}
		for (const table of ['exchanges', 'messages']) await store.command(`OPTIMIZE TABLE ${table} FINAL`)
		const [partition] = await store.query<{ id: string }>(
			"SELECT DISTINCT partition_id AS id FROM system.parts WHERE active AND table = 'spans' AND endsWith(partition_id, {day:String})",
			{ day: smallSpansDay },
		)
		if (partition) await store.command(`OPTIMIZE TABLE spans PARTITION ID '${partition.id}' FINAL`)
		const small = await weight("table = 'spans' AND endsWith(partition_id, {day:String})")
		const bodies = await weight("table IN ('exchanges', 'messages')")
		return {
			bytesPerSmallSpan: small.rows > 0 ? small.bytes / small.rows : null,
			bodiesBytes: bodies.bytes,
		}
	} finally {
		await store.close()
	}
}
