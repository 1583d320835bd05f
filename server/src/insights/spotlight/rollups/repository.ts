import type { TelemetryStore } from '../../../platform/clickhouse/index.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import { readStore, rollups, sumTables } from '../../../telemetry/index.ts'
import { inStretches, isNoCall, selectCountedCalls, stretchParameters } from '../counted-calls.ts'
import { joinStretch } from '../joins/join-spans.ts'
import { type HourRow, openHourOf, stepColumns } from './open-hour.ts'
import { hourMs, type KnownHours } from './plan-reads.ts'

type Store = Pick<TelemetryStore, 'query' | 'command' | 'insertRowBinary'>
const { countedCalls, callHours, countedCallNames, nowMs } = rollups
const { actorSums, callSums, rolledTables, visitorSums } = sumTables

/** Hours that a range touches and in or beside which something was recorded, in the order of time. */
export async function findHours(
	store: Pick<Store, 'query'>,
	workspaceId: string,
	{ startMs, endMs }: TimeRange,
): Promise<KnownHours> {
	const rows = await readStore(() =>
		store.query<HourRow & { clean: number }>(
			`SELECT toString(toUnixTimestamp(hour)) AS at, ${stepColumns}, newest_roll > 0 AND newest_roll >= max(marked_ms) AS clean
			FROM ${callHours}
			WHERE workspace_id = {workspace:String} AND hour > toDateTime(intDiv({start:Int64}, 1000) - 3600, 'UTC')
				AND hour < toDateTime(intDiv({end:Int64} + 999, 1000), 'UTC')
			GROUP BY hour ORDER BY hour`,
			{ workspace: workspaceId, start: startMs, end: endMs },
		),
	)
	const behind = rows.filter(({ clean }) => clean === 0)
	const open = behind.flatMap((row) => openHourOf(row) ?? []).slice(-mostOpen)
	const isOpen = new Set(open.map((hour) => hour.startMs))
	return {
		clean: rows
			.filter(({ clean }) => clean === 1)
			.map((row) => ({ startMs: Number(row.at) * 1000, version: Number(row.rolled) })),
		dirty: behind.map(({ at }) => Number(at) * 1000).filter((atMs) => !isOpen.has(atMs)),
		open,
	}
}

/** Each is a condition of the query. */
const mostOpen = 8

export interface DirtyHour {
	workspaceId: string
	startMs: number
	/** What was marked until then is in a roll that begins now. Even: those of steps are odd. */
	version: number
	/** Whether there are older rolls. */
	rolledBefore: boolean
}

/**
 * Hours to roll up, the newest first: those that were not marked for `settleMs`, be they over or not. A mark may be seen before
 * the rows that it is for.
 */
export async function findDirtyHours(store: Store, settleMs: number, limit: number): Promise<DirtyHour[]> {
	const rows = await store.query<{ workspace: string; at: string; version: string; before: number }>(
		`SELECT workspace_id AS workspace, toString(toUnixTimestamp(hour)) AS at, toString(bitAnd(${nowMs} - {settle:UInt64}, bitNot(toUInt64(1))) AS begun) AS version,
			max(rolled_ms) AS rolled, rolled > 0 OR max(opened).version > 0 AS before FROM ${callHours}
		WHERE hour < now('UTC') GROUP BY workspace_id, hour
		HAVING max(marked_ms) > rolled AND max(marked_ms) <= begun
		ORDER BY hour DESC, workspace_id LIMIT {limit:UInt32}`,
		{ settle: settleMs, limit },
	)
	return rows.map(({ workspace, at, version, before }) => ({
		workspaceId: workspace,
		startMs: Number(at) * 1000,
		version: Number(version),
		rolledBefore: before === 1,
	}))
}

/**
 * Rolls an hour up and, once all of it is there, says that this version is the one to read. The views of its calls are joined anew
 * for that; resolves with how many were known otherwise, which should be none.
 */
export async function rollHour(store: Store, { workspaceId, startMs, version }: DirtyHour): Promise<number> {
	const hour = { startMs, endMs: startMs + hourMs }
	const parameters = { ...stretchParameters(workspaceId, [hour]), at: startMs / 1000, version }
	const changed = await joinStretch(store, workspaceId, hour)
	const names = countedCallNames.join(', ')
	await store.command(
		`INSERT INTO ${countedCalls} (${names}, hour, version) ${selectCountedCalls(`${names}, ${stamp}`, 1)}`,
		parameters,
	)
	for (const statement of [...sumUpCalls, sumUpVisitors('1')]) await store.command(statement, parameters)
	await store.command(
		`INSERT INTO ${callHours} (workspace_id, hour, rolled_ms) SELECT {workspace:String}, toDateTime({at:UInt32}, 'UTC'), {version:UInt64}`,
		parameters,
	)
	return changed
}

export const stamp = "toDateTime({at:UInt32}, 'UTC') AS hour, {version:UInt64} AS version"
const kept = 'workspace_id, retention_days'
const ofRoll = `${countedCalls} AS c WHERE c.workspace_id = {workspace:String} AND c.hour = toDateTime({at:UInt32}, 'UTC') AND c.version = {version:UInt64}`

/** Sums of the counted calls of a roll, which are there. */
export const sumUpCalls = [callSums, actorSums].map(
	(table) => `INSERT INTO ${table.name} (${kept}, hour, version, ${table.columns})
		SELECT ${kept}, ${stamp}, ${table.sums} FROM ${ofRoll} GROUP BY ${kept}, ${table.groupBy}`,
)
const ofVisitor = [kept, ...visitorSums.labels, 'session_id', 'user_id'].join(', ')
/** Who was there in an hour: whose the counted calls of a roll are, which are there, and what else was recorded, as far as a condition says. */
export const sumUpVisitors = (
	condition: string,
) => `INSERT INTO ${visitorSums.name} (${kept}, hour, version, by_labels, ${visitorSums.columns})
	SELECT ${kept}, ${stamp}, toUInt8(grouping(c.kind) = 0), ${visitorSums.sums}
	FROM (SELECT ${ofVisitor} FROM spans WHERE ${inStretches(1)} AND ${isNoCall} AND ${condition} UNION ALL SELECT ${ofVisitor} FROM ${ofRoll}) AS c
	GROUP BY GROUPING SETS ((${kept}, ${visitorSums.groupBy}), (${kept}))`

/** Takes away rolls of an hour that a newer one has replaced, and those that were cut off. */
export async function dropOldRolls(store: Store): Promise<void> {
	const kept = `SELECT workspace_id, hour, arrayJoin(arrayPushBack(if(max(opened).cut_ms > max(rolled_ms), max(opened).rolls, []), max(rolled_ms))) FROM ${callHours} GROUP BY workspace_id, hour`
	const old = `(workspace_id, hour, version) NOT IN (${kept})`
	for (const table of rolledTables) {
		const [found] = await store.query(`SELECT 1 FROM ${table} WHERE ${old} LIMIT 1`)
		if (found) await store.command(`ALTER TABLE ${table} DELETE WHERE ${old} SETTINGS mutations_sync = 2`)
	}
}
