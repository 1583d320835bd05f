import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import { callHours, nowMs } from './rollup-tables.ts'

type Store = Pick<TelemetryStore, 'query' | 'command'>

/** Notes that spans of a time were taken away, so that its hours and those beside it are rolled up anew. What is added marks itself. */
export async function markHours(
	store: Store,
	where: { workspaceId?: string; fromMs: number; untilMs: number },
): Promise<void> {
	await store.command(
		`INSERT INTO ${callHours} SELECT workspace_id, hour, ${nowMs}, 0 FROM ${callHours}
		WHERE ({workspace:String} = '' OR workspace_id = {workspace:String})
			AND hour > toDateTime(intDiv({from:Int64}, 1000) - 7200, 'UTC') AND hour < toDateTime(intDiv({until:Int64}, 1000) + 3600, 'UTC')
		GROUP BY workspace_id, hour`,
		{ workspace: where.workspaceId ?? '', from: where.fromMs, until: where.untilMs },
	)
}
