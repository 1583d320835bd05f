import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import { callHours, changeColumns, changesOf, nowMs } from './rollup-tables.ts'

/** Longer than taking spans away or changing them lasts: until then their hours are not rolled up. */
const aheadMs = 10 * 60 * 1000

/**
 * To be called before spans are taken away or changed: their hours are read raw from now on, and rolled up again some time after. What is
 * added marks itself. `condition` is ours, never a user's.
 */
export async function markHoursOf(
	store: Pick<TelemetryStore, 'command'>,
	condition: string,
	parameters: Record<string, unknown>,
): Promise<void> {
	const marks = changesOf(`spans WHERE ${condition}`, `${nowMs} + ${aheadMs}`)
	await store.command(`INSERT INTO ${callHours} (${changeColumns}) ${marks}`, parameters)
}
