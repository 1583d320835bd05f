import type { TelemetryStore } from '../../../platform/clickhouse/store.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import {
	callJoins,
	readStore,
	rollups,
	selectTokens,
	sumTables,
	tokensOfCall,
} from '../../../telemetry/index.ts'
import {
	inStretches,
	isCall,
	isVisit,
	nearStretches,
	selectCallsOfTraces,
	selectCountedCalls,
	stretchParameters,
} from '../counted-calls.ts'
import { joinStretch } from '../joins/join-spans.ts'
import { type CleanHour, hourMs, type KnownHours, type OpenHour } from './plan-reads.ts'

type Store = Pick<TelemetryStore, 'query' | 'command' | 'insertRowBinary'>
const { countedCalls, callHours, countedCallNames, isOfWorkspace, nowMs } = rollups
const { actorSums, callSums, insertNarrowSums, rolledTables, visitorSums } = sumTables

/**
 * Hours in or next to which something was recorded and that the range touches, in chronological order. `complete`: rolls are usable
 * only if they have what later versions added: the index of attributes of their calls, and the end of sessions' last calls.
 */
export async function findHours(
	store: Pick<Store, 'query'>,
	workspaceId: string,
	{ startMs, endMs }: TimeRange,
	{ complete = false } = {},
): Promise<KnownHours> {
	const rows = await readStore(() =>
		store.query<
			HourRow & { now: string; clean: number; narrow: { rolled_ms: string; version: string }; few: string }
		>(
			`SELECT toString(${nowMs}) AS now, toString(toUnixTimestamp(hour)) AS at, ${stepColumns}, max(narrowed) AS narrow, toString(max(few_ms)) AS few, newest_roll > 0 AND newest_roll >= max(marked_ms)${complete ? ' AND newest_roll > newest_plain' : ''} AS clean
			FROM ${callHours}
			WHERE workspace_id = {workspace:String} AND hour > toDateTime(intDiv({start:Int64}, 1000) - 3600, 'UTC')
				AND hour < toDateTime(intDiv({end:Int64} + 999, 1000), 'UTC')
			GROUP BY hour ORDER BY hour`,
			{ workspace: workspaceId, start: startMs, end: endMs },
		),
	)
	const behind = rows.filter(({ clean }) => clean === 0)
	const open = behind.flatMap((row) => openHourOf(row, complete) ?? []).slice(-maxOpen)
	const isOpen = new Set(open.map((hour) => hour.startMs))
	return {
		clean: rows
			.filter(({ clean }) => clean === 1)
			.map(({ at, rolled, narrow, few }) => ({
				...{ startMs: Number(at) * 1000, version: Number(rolled) },
				...(narrow.rolled_ms === rolled && {
					...{ narrow: Number(narrow.version), lacksLaterSums: Number(narrow.version) <= Number(few) },
				}),
			})),
		dirty: behind.map(({ at }) => Number(at) * 1000).filter((atMs) => !isOpen.has(atMs)),
		open,
		atMs: Number(rows[0]?.now ?? 0),
	}
}

/** Each is a condition of the query. */
const maxOpen = 8

interface DirtyHour {
	workspaceId: string
	startMs: number
	/** What was marked until then is in a roll that begins now. It is even; versions of steps are odd. */
	version: number
	/** Whether there are older rolls. */
	rolledBefore: boolean
}

/**
 * Hours to roll up, newest first: those that were not marked for `settleMs`, whether they have ended or not, because a mark may be
 * visible before its rows. Then those that lack what later versions added.
 */
export async function findDirtyHours(store: Store, settleMs: number, limit: number): Promise<DirtyHour[]> {
	const rows = await store.query<{ workspace: string; at: string; version: string; before: number }>(
		`SELECT workspace_id AS workspace, toString(toUnixTimestamp(hour)) AS at, toString(bitAnd(${nowMs} - {settle:UInt64}, bitNot(toUInt64(1))) AS begun) AS version,
			max(rolled_ms) AS rolled, rolled > 0 OR max(opened).version > 0 AS before, max(marked_ms) > rolled AS dirty FROM ${callHours}
		WHERE hour < now('UTC') GROUP BY workspace_id, hour
		HAVING (dirty OR rolled > 0 AND rolled <= max(plain_ms) AND max(plain_ms) < begun) AND max(marked_ms) <= begun
		ORDER BY dirty DESC, hour DESC, workspace_id LIMIT {limit:UInt32}`,
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
 * Rolls up an hour and, once everything is written, makes this version the one to read. The views of its calls are joined again for
 * that; resolves with how many joins changed, which should be none.
 */
export async function rollHour(store: Store, { workspaceId, startMs, version }: DirtyHour): Promise<number> {
	const hour = { startMs, endMs: startMs + hourMs }
	const parameters = { ...stretchParameters(workspaceId, [hour]), at: startMs / 1000, version }
	const changed = await joinStretch(store, workspaceId, hour)
	await store.command(`${insertCalls} ${selectCountedCalls(callsOfSpans, 1, { withTags: true })}`, parameters)
	for (const statement of [...sumUpCalls, sumUpVisitors('1')]) await store.command(statement, parameters)
	await narrowRoll(store, { workspaceId, startMs, version, narrow: version })
	return changed
}

/** A roll of a whole hour, and the version for its narrow sums. */
interface WideRoll extends CleanHour {
	workspaceId: string
	narrow: number
}

/**
 * The newest hours whose rolls were made before narrow sums, or some kinds of them, existed. Each attempt has its own version, so that
 * an interrupted one has no effect.
 */
export async function findWideRolls(store: Pick<Store, 'query'>, limit: number): Promise<WideRoll[]> {
	const rows = await store.query<{ workspace: string; at: string; version: string; narrow: string }>(
		`SELECT workspace_id AS workspace, toString(toUnixTimestamp(hour)) AS at, max(rolled_ms) AS rolled, toString(rolled) AS version, toString(${nowMs}) AS narrow
		FROM ${callHours} GROUP BY workspace_id, hour
		HAVING rolled > 0 AND rolled >= max(marked_ms) AND (tupleElement(max(narrowed), 'rolled_ms') < rolled OR tupleElement(max(narrowed), 'version') <= max(few_ms))
		ORDER BY hour DESC, workspace_id LIMIT {limit:UInt32}`,
		{ limit },
	)
	return rows.map(({ workspace, at, version, narrow }) => ({
		...{ workspaceId: workspace, startMs: Number(at) * 1000 },
		...{ version: Number(version), narrow: Number(narrow) },
	}))
}

/** Makes the narrow sums of a roll from its wide ones, and then references both. */
export async function narrowRoll(
	store: Pick<Store, 'command'>,
	{ workspaceId, startMs, version, narrow }: WideRoll,
): Promise<void> {
	const parameters = { workspace: workspaceId, at: startMs / 1000, version, narrow }
	for (const statement of narrowDown) await store.command(statement, parameters)
	await store.command(
		`INSERT INTO ${callHours} (workspace_id, hour, rolled_ms, narrowed) SELECT {workspace:String}, toDateTime({at:UInt32}, 'UTC'), {version:UInt64}, ({version:UInt64}, {narrow:UInt64})`,
		parameters,
	)
}

const stamp = "toDateTime({at:UInt32}, 'UTC') AS hour, {version:UInt64} AS version"
const namesOfCalls = [...countedCallNames, tokensOfCall].join(', ')
const insertCalls = `INSERT INTO ${countedCalls} (${namesOfCalls}, hour, version)`
const callsOfSpans = `${countedCallNames.join(', ')}, ${selectTokens}, ${stamp}`
const kept = 'workspace_id, retention_days'
/** A condition on rows `c`; qualified, because the stamp has aliases with the same names. */
const ofHour = "c.workspace_id = {workspace:String} AND c.hour = toDateTime({at:UInt32}, 'UTC')"
const ofVersion = `${ofHour} AND c.version = {version:UInt64}`
const ofRoll = `${countedCalls} AS c WHERE ${ofVersion}`
const narrowDown = insertNarrowSums(
	"toDateTime({at:UInt32}, 'UTC') AS hour, {narrow:UInt64} AS version",
	ofVersion,
)

/** Sums of the counted calls of a roll, which must already be written. */
const sumUpCalls = [callSums, actorSums].map(
	(table) => `INSERT INTO ${table.name} (${kept}, hour, version, ${table.columns})
		SELECT ${kept}, ${stamp}, ${table.sums} FROM ${ofRoll} GROUP BY ${kept}, ${table.groupBy}`,
)
const ofVisitor = [kept, ...visitorSums.labels, 'session_id', 'user_id'].join(', ')
/**
 * The visitors of an hour: sessions and users of the roll's counted calls, which must already be written, and of other spans that
 * match a condition.
 */
const sumUpVisitors = (
	condition: string,
) => `INSERT INTO ${visitorSums.name} (${kept}, hour, version, by_labels, ${visitorSums.columns})
	SELECT ${kept}, ${stamp}, toUInt8(1), ${visitorSums.sums}
	FROM (SELECT ${ofVisitor} FROM spans WHERE ${inStretches(1)} AND ${isVisit} AND ${condition} UNION ALL SELECT ${ofVisitor} FROM ${ofRoll}) AS c
	GROUP BY ${kept}, ${visitorSums.groupBy}`

/** Deletes rolls that a newer one has replaced, and incomplete ones. */
export async function dropOldRolls(store: Store): Promise<void> {
	const kept = `SELECT workspace_id, hour, arrayJoin(arrayConcat(if(max(opened).cut_ms > max(rolled_ms), max(opened).rolls, []), [max(rolled_ms), max(narrowed).version])) FROM ${callHours} GROUP BY workspace_id, hour`
	const old = `(workspace_id, hour, version) NOT IN (${kept})`
	for (const table of rolledTables) {
		const [found] = await store.query(`SELECT 1 FROM ${table} WHERE ${old} LIMIT 1`)
		if (found) await store.command(`ALTER TABLE ${table} DELETE WHERE ${old} SETTINGS mutations_sync = 2`)
	}
}

/** An hour and the version of its roll in one number, which is found many times faster than a pair. Valid until the year 2109. */
const versionBits = 42
const rollId = `bitOr(bitShiftLeft(toUInt64(intDiv(toUnixTimestamp(hour), 3600)), ${versionBits}), version)`
const idOf = ({ startMs, version }: CleanHour) =>
	(BigInt(startMs / hourMs) << BigInt(versionBits)) | BigInt(version)

/**
 * A condition on rows of certain rolls, whose parameters `rollParameters` provides under the same name. The table's key finds their
 * hours.
 */
export const inRolls = (name: string) => `${isOfWorkspace} AND hour IN {${name}_hours:Array(UInt32)}
	AND ${rollId} IN {${name}_rolls:Array(UInt64)}`

export function rollParameters(name: string, hours: readonly CleanHour[]): Record<string, unknown> {
	return {
		[`${name}_hours`]: [...new Set(hours.map(({ startMs }) => startMs / 1000))],
		[`${name}_rolls`]: hours.map(idOf),
	}
}

/** What is known of an hour's rolls: the newest of each kind. Numbers are text. */
interface HourRow {
	/** Seconds. */
	at: string
	rolled: string
	changed: string
	/** Rolls made before this time lack what later versions added. */
	plain: string
	step: {
		version: string
		cut_ms: string
		/** Number of spans that had marked the hour, and of those in it that were stored before the cut. */
		arrived: string
		spans: string
		last_ms: string
		rolls: string[]
	}
}

/** Columns of `HourRow` for a SELECT from the hours with GROUP BY hour. */
const stepColumns = `max(rolled_ms) AS newest_roll, toString(newest_roll) AS rolled, max(changed_ms) AS newest_change, toString(newest_change) AS changed,
	max(plain_ms) AS newest_plain, toString(newest_plain) AS plain, max(opened) AS step`

/**
 * What can be read of the rolls of an outdated hour; null if spans were changed since, nothing is rolled up, or a roll lacks what
 * later versions added and is needed.
 */
function openHourOf(row: HourRow, complete: boolean): OpenHour | null {
	const open = rollsOfOpenHour(row)
	const isOfUse = !complete || open?.rolls.every((version) => version > Number(row.plain))
	return isOfUse ? open : null
}

function rollsOfOpenHour({ at, rolled, changed, step }: HourRow): OpenHour | null {
	const startMs = Number(at) * 1000
	const [rolledMs, cutMs] = [Number(rolled), Number(step.cut_ms)]
	if (cutMs > rolledMs && Number(step.version) > Number(changed))
		return { startMs, cutMs, lastMs: Number(step.last_ms), rolls: step.rolls.map(Number) }
	if (rolledMs === 0 || rolledMs <= Number(changed)) return null
	return { startMs, cutMs: rolledMs, lastMs: startMs + hourMs - 1, rolls: [rolledMs] }
}

type StepStore = Pick<TelemetryStore, 'query' | 'command'>

/** An hour in which much arrives, and its next step. */
export interface Step {
	workspaceId: string
	startMs: number
	/** Odd, see `DirtyHour`. */
	version: number
	/** The step includes the traces of which something was stored since `fromMs` and nothing since `cutMs`. */
	fromMs: number
	cutMs: number
	/** The rolls on which it builds. */
	rolls: readonly number[]
	/** Number of spans that had marked the hour. */
	arrived: string
	/** How many of its spans should have been stored before `fromMs`; null if they were not counted. */
	spansBefore: number | null
}

/** The most outdated hours, by at least this many spans. What was stored in the last `quietMs` is not included. */
export async function findSteps(store: StepStore, minSpans: number, quietMs: number): Promise<Step[]> {
	const rows = await store.query<HourRow & { workspace: string; version: string; arrived_all: string }>(
		`SELECT workspace_id AS workspace, toString(toUnixTimestamp(hour)) AS at, toString(bitOr(${nowMs}, 1) AS begun) AS version, ${stepColumns},
			sum(arrived) AS arrived_now, toString(arrived_now) AS arrived_all FROM ${callHours}
		WHERE hour < now('UTC') GROUP BY workspace_id, hour
		HAVING max(marked_ms) > newest_roll AND newest_change < begun
			AND arrived_now >= if(step.version > 0 AND step.cut_ms = 0, 2, 1) * step.arrived + {least:UInt64}
		ORDER BY arrived_now - step.arrived DESC, hour, workspace_id LIMIT ${maxSteps}`,
		{ least: minSpans },
	)
	return rows.map((row) => stepOf(row, quietMs))
}

const maxSteps = 20

function stepOf(
	row: HourRow & { workspace: string; version: string; arrived_all: string },
	quietMs: number,
): Step {
	const version = Number(row.version)
	const open = openHourOf(row, true)
	const isCounted = open?.cutMs === Number(row.step.cut_ms)
	return {
		...{ workspaceId: row.workspace, startMs: Number(row.at) * 1000, version },
		...{ fromMs: open?.cutMs ?? 0, cutMs: version - quietMs, rolls: open?.rolls ?? [] },
		...{ arrived: row.arrived_all, spansBefore: isCounted ? Number(row.step.spans) : null },
	}
}

const storedBefore = (name: string) => `stored_at < fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
const storedFrom = "stored_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')"
/**
 * The traces that a step includes: those with calls of which something was stored or became known since the last step, and nothing
 * since the cut. What other spans say about a call is known once it is joined. Calls are a part of the table that is found by its key.
 */
const settledTraces = `SELECT trace_id FROM (
		SELECT trace_id, toUInt64(toUnixTimestamp64Milli(stored_at)) AS known_ms FROM spans WHERE ${isCall} AND ${nearStretches(1)} AND ${storedFrom}
		UNION ALL SELECT trace_id, joined_ms AS known_ms FROM ${callJoins} WHERE ${inStretches(1)} AND joined_ms >= {from:UInt64})
	GROUP BY trace_id HAVING max(known_ms) < {cut:UInt64}`

function stepParameters({ workspaceId, startMs, version, fromMs, cutMs }: Step): Record<string, unknown> {
	const hour = { startMs, endMs: startMs + hourMs }
	return {
		...stretchParameters(workspaceId, [hour]),
		...{ at: startMs / 1000, version, from: fromMs, cut: cutMs },
	}
}

interface HourSpans {
	/** Stored before the step's `fromMs`, and before its `cutMs`. */
	before: number
	until: number
	lastMs: number
}

export async function countSpans(store: StepStore, step: Step): Promise<HourSpans> {
	const [found] = await store.query<Record<keyof HourSpans, string>>(
		`SELECT countIf(${storedBefore('from')}) AS before, count() AS until, toString(toUnixTimestamp64Milli(max(started_at))) AS lastMs
		FROM spans WHERE ${inStretches(1)} AND ${storedBefore('cut')}`,
		stepParameters(step),
	)
	const { before, until, lastMs } = found as Record<keyof HourSpans, string>
	return { before: Number(before), until: Number(until), lastMs: Number(lastMs) }
}

/**
 * Whether the step includes anything in the hour although nothing arrived there: from traces that reach into the adjacent hours, or
 * whose views have now been joined.
 */
export async function hasChangesElsewhere(store: StepStore, step: Step): Promise<boolean> {
	const found = await store.query(
		`SELECT 1 FROM spans WHERE ${inStretches(1)} AND trace_id IN (${settledTraces}) LIMIT 1`,
		stepParameters(step),
	)
	return found.length > 0
}

/** The rolls that have calls of the traces that the step includes. */
export async function findReplaced(store: StepStore, step: Step): Promise<number[]> {
	if (step.rolls.length === 0) return []
	const rows = await store.query<{ roll: string }>(
		`SELECT DISTINCT toString(version) AS roll FROM ${countedCalls} AS c
		WHERE ${ofHour} AND c.version IN {rolls:Array(UInt64)} AND trace_id IN (${settledTraces})`,
		{ ...stepParameters(step), rolls: step.rolls },
	)
	return rows.map(({ roll }) => Number(roll))
}

/** Writes the step's roll: its own calls and visitors, and those of the rolls that it replaces. */
export async function writeStep(store: StepStore, step: Step, replaced: readonly number[]): Promise<void> {
	const parameters = { ...stepParameters(step), replaced }
	const ofTraces = { traces: settledTraces, stretches: 1, withTags: true }
	await store.command(`${insertCalls} ${selectCallsOfTraces(callsOfSpans, ofTraces)}`, parameters)
	const ofReplaced = `${ofHour} AND c.version IN {replaced:Array(UInt64)}`
	const visitors = `workspace_id, retention_days, hour, by_labels, ${visitorSums.columns}`
	if (replaced.length > 0) {
		await store.command(
			`${insertCalls} SELECT ${namesOfCalls}, ${stamp} FROM ${countedCalls} AS c WHERE ${ofReplaced} AND trace_id NOT IN (${settledTraces})`,
			parameters,
		)
		await store.command(
			`INSERT INTO ${visitorSums.name} (${visitors}, version) SELECT ${visitors}, {version:UInt64} FROM ${visitorSums.name} AS c WHERE ${ofReplaced} AND ${visitorSums.only}`,
			parameters,
		)
	}
	for (const statement of [...sumUpCalls, sumUpVisitors(`${storedFrom} AND ${storedBefore('cut')}`)])
		await store.command(statement, parameters)
}

/** Makes these rolls the ones to read, and sets the time from which spans are read in addition. */
export async function nameStep(
	store: StepStore,
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
