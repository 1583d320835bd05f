import type { TelemetryStore } from '../../../platform/clickhouse/index.ts'
import { callJoins, rollups, sumTables } from '../../../telemetry/index.ts'
import { aboveStretches, inStretches, selectCallsOfTraces, stretchParameters } from '../counted-calls.ts'
import { speaksOf } from '../joins/seen-spans-repository.ts'
import { hourMs, type OpenHour } from './plan-reads.ts'
import { type HourRow, openHourOf, stamp, stepColumns, sumUpCalls, sumUpVisitors } from './repository.ts'

type Store = Pick<TelemetryStore, 'query' | 'command'>
const { countedCalls, callHours, countedCallNames, nowMs } = rollups
const { visitorSums } = sumTables

/** An hour in which much arrives, and its next step. */
export interface Step {
	workspaceId: string
	startMs: number
	/** Odd, see `DirtyHour`. */
	version: number
	/** The step takes in the traces of which something was stored since `fromMs` and nothing since `cutMs`. */
	fromMs: number
	cutMs: number
	/** The rolls that it builds upon. */
	rolls: readonly number[]
	/** So many spans had marked the hour. */
	arrived: string
	/** So many in it should have been stored before `fromMs`; null if nobody counted. */
	spansBefore: number | null
}

/** The hours that are most behind, by at least so many spans. What was stored in the last `quietMs` is not taken in. */
export async function findSteps(store: Store, leastSpans: number, quietMs: number): Promise<Step[]> {
	const rows = await store.query<HourRow & { workspace: string; version: string; arrived_all: string }>(
		`SELECT workspace_id AS workspace, toString(toUnixTimestamp(hour)) AS at, toString(bitOr(${nowMs}, 1) AS begun) AS version, ${stepColumns},
			sum(arrived) AS arrived_now, toString(arrived_now) AS arrived_all FROM ${callHours}
		WHERE hour < now('UTC') GROUP BY workspace_id, hour
		HAVING max(marked_ms) > newest_roll AND newest_change < begun
			AND arrived_now >= if(step.version > 0 AND step.cut_ms = 0, 2, 1) * step.arrived + {least:UInt64}
		ORDER BY arrived_now - step.arrived DESC, hour, workspace_id LIMIT ${mostSteps}`,
		{ least: leastSpans },
	)
	return rows.map((row) => stepOf(row, quietMs))
}

const mostSteps = 20

function stepOf(
	row: HourRow & { workspace: string; version: string; arrived_all: string },
	quietMs: number,
): Step {
	const version = Number(row.version)
	const open = openHourOf(row)
	const isCounted = open?.cutMs === Number(row.step.cut_ms)
	return {
		...{ workspaceId: row.workspace, startMs: Number(row.at) * 1000, version },
		...{ fromMs: open?.cutMs ?? 0, cutMs: version - quietMs, rolls: open?.rolls ?? [] },
		...{ arrived: row.arrived_all, spansBefore: isCounted ? Number(row.step.spans) : null },
	}
}

const storedBefore = (name: string) => `stored_at < fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
const storedFrom = "stored_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')"
/** The traces that a step takes in: of which something came or became known since the last one, and nothing since the cut. */
const settledTraces = `SELECT trace_id FROM (
		SELECT trace_id, toUInt64(toUnixTimestamp64Milli(stored_at)) AS known_ms FROM spans WHERE ${speaksOf(aboveStretches(1))} AND ${storedFrom}
		UNION ALL SELECT trace_id, joined_ms AS known_ms FROM ${callJoins} WHERE ${inStretches(1)} AND joined_ms >= {from:UInt64})
	GROUP BY trace_id HAVING max(known_ms) < {cut:UInt64}`
/** Of rows `c`: the names alone are taken by the stamp. */
const ofHour = "c.workspace_id = {workspace:String} AND c.hour = toDateTime({at:UInt32}, 'UTC')"

export function stepParameters({
	workspaceId,
	startMs,
	version,
	fromMs,
	cutMs,
}: Step): Record<string, unknown> {
	const hour = { startMs, endMs: startMs + hourMs }
	return {
		...stretchParameters(workspaceId, [hour]),
		...{ at: startMs / 1000, version, from: fromMs, cut: cutMs },
	}
}

export interface HourSpans {
	/** Stored before the step's `fromMs`, and before its `cutMs`. */
	before: number
	until: number
	lastMs: number
}

export async function countSpans(store: Store, step: Step): Promise<HourSpans> {
	const [found] = await store.query<Record<keyof HourSpans, string>>(
		`SELECT countIf(${storedBefore('from')}) AS before, count() AS until, toString(toUnixTimestamp64Milli(max(started_at))) AS lastMs
		FROM spans WHERE ${inStretches(1)} AND ${storedBefore('cut')}`,
		stepParameters(step),
	)
	const { before, until, lastMs } = found as Record<keyof HourSpans, string>
	return { before: Number(before), until: Number(until), lastMs: Number(lastMs) }
}

/** Whether there is anything in the hour that the step takes in. */
export async function hasNews(store: Store, step: Step): Promise<boolean> {
	const found = await store.query(
		`SELECT 1 FROM spans WHERE ${inStretches(1)} AND (${storedFrom} AND ${storedBefore('cut')} OR trace_id IN (${settledTraces})) LIMIT 1`,
		stepParameters(step),
	)
	return found.length > 0
}

/** The rolls that have calls of the traces that the step takes in. */
export async function findReplaced(store: Store, step: Step): Promise<number[]> {
	if (step.rolls.length === 0) return []
	const rows = await store.query<{ roll: string }>(
		`SELECT DISTINCT toString(version) AS roll FROM ${countedCalls} AS c
		WHERE ${ofHour} AND c.version IN {rolls:Array(UInt64)} AND trace_id IN (${settledTraces})`,
		{ ...stepParameters(step), rolls: step.rolls },
	)
	return rows.map(({ roll }) => Number(roll))
}

/** Writes the step's roll: its own calls and visitors, and those of the rolls that it replaces. */
export async function writeStep(store: Store, step: Step, replaced: readonly number[]): Promise<void> {
	const parameters = { ...stepParameters(step), replaced }
	const names = countedCallNames.join(', ')
	const counted = `INSERT INTO ${countedCalls} (${names}, hour, version)`
	await store.command(
		`${counted} ${selectCallsOfTraces(`${names}, ${stamp}`, { traces: settledTraces, stretches: 1 })}`,
		parameters,
	)
	const ofReplaced = `${ofHour} AND c.version IN {replaced:Array(UInt64)}`
	const visitors = `workspace_id, retention_days, hour, by_labels, ${visitorSums.columns}`
	if (replaced.length > 0) {
		await store.command(
			`${counted} SELECT ${names}, ${stamp} FROM ${countedCalls} AS c WHERE ${ofReplaced} AND trace_id NOT IN (${settledTraces})`,
			parameters,
		)
		await store.command(
			`INSERT INTO ${visitorSums.name} (${visitors}, version) SELECT ${visitors}, {version:UInt64} FROM ${visitorSums.name} AS c WHERE ${ofReplaced}`,
			parameters,
		)
	}
	for (const statement of [...sumUpCalls, sumUpVisitors(`${storedFrom} AND ${storedBefore('cut')}`)])
		await store.command(statement, parameters)
}

/** Says that these rolls are the ones to read, and from when on spans are read beside them. */
export async function nameStep(
	store: Store,
	{ workspaceId, startMs, version, arrived }: Step,
	{ cutMs, rolls, spans, lastMs }: Pick<OpenHour, 'cutMs' | 'rolls' | 'lastMs'> & { spans: number },
): Promise<void> {
	await store.command(
		`INSERT INTO ${callHours} (workspace_id, hour, opened) SELECT {workspace:String}, toDateTime({at:UInt32}, 'UTC'),
			({version:UInt64}, {cut:UInt64}, {arrived:UInt64}, {spans:UInt64}, {last:UInt64}, {rolls:Array(UInt64)})`,
		{
			...{ workspace: workspaceId, at: startMs / 1000, version, arrived },
			...{ cut: cutMs, spans, last: lastMs, rolls },
		},
	)
}
