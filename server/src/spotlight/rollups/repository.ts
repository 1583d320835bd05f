import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import { readStore, rollups } from '../../telemetry/index.ts'
import { areAcrossTraces, inStretches, selectCountedCalls, stretchParameters } from '../counted-calls.ts'
import { type CleanHour, hourMs } from './plan-reads.ts'

type Store = Pick<TelemetryStore, 'query' | 'command'>
const { countedCalls, hourVisitors, callHours, countedCallNames, nowMs } = rollups

/** Hours of a range whose rollup holds all that was recorded, in the order of time. */
export async function findCleanHours(
	store: Pick<Store, 'query'>,
	workspaceId: string,
	{ startMs, endMs }: TimeRange,
): Promise<CleanHour[]> {
	const rows = await readStore(() =>
		store.query<{ at: string; version: string }>(
			`SELECT toString(toUnixTimestamp(hour)) AS at, toString(max(rolled_ms) AS rolled) AS version FROM ${callHours}
			WHERE workspace_id = {workspace:String} AND hour >= toDateTime(intDiv({start:Int64}, 1000), 'UTC')
				AND hour < toDateTime(intDiv({end:Int64}, 1000), 'UTC')
			GROUP BY hour HAVING rolled > 0 AND rolled >= max(marked_ms) ORDER BY hour`,
			{ workspace: workspaceId, start: startMs, end: endMs },
		),
	)
	return rows.map(({ at, version }) => ({ startMs: Number(at) * 1000, version: Number(version) }))
}

export interface DirtyHour {
	workspaceId: string
	startMs: number
	/** What was marked until then is in a roll that begins now. */
	version: number
	/** Of the roll that is there, if there is one. */
	rolledBefore: boolean
}

/**
 * Hours to roll up, the newest first: those that have been over for an hour, and were not marked for `settleMs`. A mark may
 * be seen before the rows that it is for.
 */
export async function findDirtyHours(store: Store, settleMs: number, limit: number): Promise<DirtyHour[]> {
	const rows = await store.query<{ workspace: string; at: string; version: string; before: string }>(
		`SELECT workspace_id AS workspace, toString(toUnixTimestamp(hour)) AS at, toString(${nowMs} - {settle:UInt64}) AS version,
			toString(max(rolled_ms) AS rolled) AS before FROM ${callHours}
		WHERE hour < now('UTC') - 7200 GROUP BY workspace_id, hour
		HAVING max(marked_ms) > rolled AND max(marked_ms) <= ${nowMs} - {settle:UInt64}
		ORDER BY hour DESC, workspace_id LIMIT {limit:UInt32}`,
		{ settle: settleMs, limit },
	)
	return rows.map(({ workspace, at, version, before }) => ({
		workspaceId: workspace,
		startMs: Number(at) * 1000,
		version: Number(version),
		rolledBefore: before !== '0',
	}))
}

/** Rolls an hour up and, once all of it is there, says that this version is the one to read. */
export async function rollHour(store: Store, { workspaceId, startMs, version }: DirtyHour): Promise<void> {
	const hour = { startMs, endMs: startMs + hourMs }
	const parameters = { ...stretchParameters(workspaceId, [hour]), at: startMs / 1000, version }
	const stamp = "toDateTime({at:UInt32}, 'UTC') AS hour, {version:UInt64} AS version"
	const names = countedCallNames.join(', ')
	const isAcross = await areAcrossTraces(store, workspaceId, [hour])
	await store.command(
		`INSERT INTO ${countedCalls} (${names}, hour, version) ${selectCountedCalls(`${names}, ${stamp}`, 1, isAcross)}`,
		parameters,
	)
	await store.command(
		`INSERT INTO ${hourVisitors} (workspace_id, retention_days, session_id, user_id, hour, version)
		SELECT DISTINCT workspace_id, retention_days, session_id, user_id, ${stamp} FROM spans
		WHERE ${inStretches(1)} AND (session_id != '' OR user_id != '')`,
		parameters,
	)
	await store.command(
		`INSERT INTO ${callHours} SELECT {workspace:String}, toDateTime({at:UInt32}, 'UTC'), 0, {version:UInt64}`,
		parameters,
	)
}

/** Takes away rolls of an hour that a newer one has replaced, and those that were cut off. */
export async function dropOldRolls(store: Store): Promise<void> {
	const old = `(workspace_id, hour, version) NOT IN (SELECT workspace_id, hour, max(rolled_ms) FROM ${callHours} GROUP BY workspace_id, hour)`
	for (const table of [countedCalls, hourVisitors]) {
		const [found] = await store.query(`SELECT 1 FROM ${table} WHERE ${old} LIMIT 1`)
		if (found) await store.command(`ALTER TABLE ${table} DELETE WHERE ${old} SETTINGS mutations_sync = 2`)
	}
}
