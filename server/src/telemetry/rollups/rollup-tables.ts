import { durableSettings } from '../../platform/clickhouse/migrate.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import { type Columns, definitionsOf, namesOf, retentionColumn } from '../columns.ts'
import { spanColumns } from '../span-columns.ts'

export const hour = ['hour', "DateTime('UTC') CODEC(Delta, ZSTD(1))"] as const
/** The roll of its hour to which a row belongs. Only rows of the newest roll are read. */
export const version = ['version', 'UInt64 CODEC(Delta, ZSTD(1))'] as const

const kept = new Set([
	...[
		'workspace_id',
		retentionColumn[0],
		'started_at',
		'duration_ns',
		'trace_id',
		'span_id',
		'kind',
		'status',
	],
	...['status_message', 'error_type', 'service_name', 'agent_id', 'agent_name', 'server_id', 'server_name'],
	...['tool_name', 'session_id', 'user_id', 'client', 'connection', 'provider', 'model_requested', 'model'],
	...['input_tokens', 'cache_read_tokens', 'cache_write_tokens', 'output_tokens', 'reasoning_tokens'],
	'cost_nano_usd',
])

/** The columns of a span that a counted call keeps: all that Spotlight's queries use. */
export const countedCallColumns: Columns = spanColumns.filter(([name]) => kept.has(name))
export const countedCallNames = namesOf(countedCallColumns)

const typeOf = new Map<string, string>(countedCallColumns)
const visitorColumns: Columns = [
	...['workspace_id', retentionColumn[0]].map((name) => [name, typeOf.get(name) ?? ''] as const),
	hour,
	version,
	['session_id', typeOf.get('session_id') ?? ''],
	['user_id', typeOf.get('user_id') ?? ''],
]

/** Derived from `spans`, so not in backups. The first two tables are partitioned like `spans`, and expire with it. */
export const countedCalls = 'counted_calls'
export const hourVisitors = 'hour_visitors'
export const callHours = 'call_hours'

/**
 * Rows of rolled tables have their workspace twice: its id is in their key, and a dictionary has it for comparing each row, which takes a tenth of
 * the time. Existing parts compute it from the id until they have it.
 */
export const isOfWorkspace =
	'indexHint(workspace_id = {workspace:String}) AND workspace_label = {workspace:String}'
export const labelWorkspace = (table: string): readonly string[] => [
	`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS workspace_label LowCardinality(String) DEFAULT workspace_id`,
	`ALTER TABLE ${table} MATERIALIZE COLUMN workspace_label SETTINGS mutations_sync = 0`,
]

/** Always the engine's clock, so that marks and rolls can be compared. */
export const nowMs = 'toUInt64(toUnixTimestamp64Milli(now64(3)))'

/** Rows whose `stored_at` is older than this when they are inserted have been written back. */
const writtenBackMs = 30_000

/** A span of up to an hour affects calls in its own hour and the adjacent ones. */
export const isLong = 'duration_ns > 3600000000000'
/** The longest time for which a span affects calls that begin while it runs: see `inherited-names.ts` of Spotlight. */
export const maxReachS = 24 * 60 * 60
/** The start of the hour in which a span ends if it is longer than an hour, otherwise of the hour in which it begins. */
const lastHour = `toStartOfHour(toDateTime(started_at + toIntervalSecond(if(${isLong}, least(intDiv(duration_ns, 1000000000), ${maxReachS}), 0)), 'UTC'))`
const hoursFrom = (own: string, last: string) =>
	`arrayMap(at -> toDateTime(at, 'UTC'), range(toInt64(toUnixTimestamp(${own})) - 3600, toInt64(toUnixTimestamp(${last})) + 3601, 3600))`

const settings = durableSettings({ extra: { ttl_only_drop_parts: 1 } })

/** Reasons: docs/decisions/spotlight.md. */
export const createRollups: readonly string[] = [
	`CREATE TABLE IF NOT EXISTS ${countedCalls} (${definitionsOf([...countedCallColumns, hour, version])})
	ENGINE = MergeTree PARTITION BY (retention_days, toDate(hour)) ORDER BY (workspace_id, hour, version, kind) ${settings}`,
	`CREATE TABLE IF NOT EXISTS ${hourVisitors} (${definitionsOf(visitorColumns)})
	ENGINE = MergeTree PARTITION BY (retention_days, toDate(hour)) ORDER BY (workspace_id, hour, version) ${settings}`,
	`CREATE TABLE IF NOT EXISTS ${callHours} (workspace_id String CODEC(ZSTD(1)), hour DateTime('UTC'),
		marked_ms SimpleAggregateFunction(max, UInt64), rolled_ms SimpleAggregateFunction(max, UInt64))
	ENGINE = AggregatingMergeTree ORDER BY (workspace_id, hour) ${durableSettings()}`,
	`CREATE MATERIALIZED VIEW IF NOT EXISTS mark_call_hours TO ${callHours} AS ${marksOf('spans', nowMs)}`,
	`INSERT INTO ${callHours} ${marksOf('spans', nowMs)}`,
]

/**
 * For hours that are rolled up in steps while spans arrive. `arrived`: number of spans that have marked the hour. `changed_ms`:
 * until then spans may have been deleted or changed, or written back with an old `stored_at`; no step may build on that. `opened`:
 * the newest step.
 */
export const openHours: readonly string[] = [
	`ALTER TABLE ${callHours} ADD COLUMN IF NOT EXISTS changed_ms SimpleAggregateFunction(max, UInt64),
		ADD COLUMN IF NOT EXISTS arrived SimpleAggregateFunction(sum, UInt64),
		ADD COLUMN IF NOT EXISTS opened SimpleAggregateFunction(max, Tuple(version UInt64, cut_ms UInt64, arrived UInt64, spans UInt64, last_ms UInt64, rolls Array(UInt64)))`,
	'DROP VIEW IF EXISTS mark_call_hours SYNC',
	`CREATE MATERIALIZED VIEW IF NOT EXISTS mark_call_hours TO ${callHours} AS
	SELECT workspace_id, arrayJoin([own - 3600, own, own + 3600]) AS hour, ${nowMs} AS marked_ms, arrived, if(stored_ms + ${writtenBackMs} < marked_ms, marked_ms, 0) AS changed_ms
	FROM (SELECT workspace_id, toStartOfHour(toDateTime(started_at, 'UTC')) AS own, count() AS arrived, toUInt64(toUnixTimestamp64Milli(min(stored_at))) AS stored_ms
		FROM spans GROUP BY workspace_id, own)`,
	`INSERT INTO ${callHours} (workspace_id, hour, marked_ms, rolled_ms) ${marksOf('spans', nowMs)}`,
]

/** A SELECT of marks for spans that are deleted or changed, for an INSERT of `changeColumns`. */
export const changeColumns = 'workspace_id, hour, marked_ms, rolled_ms, changed_ms'
export function changesOf(spans: string, markedMs: string): string {
	return `SELECT *, marked_ms AS changed_ms FROM (${marksOf(spans, markedMs)})`
}

/** Marks for spans as they arrive, for long spans up to their end; and an index to find long spans. */
export const longSpans: readonly string[] = [
	'DROP VIEW IF EXISTS mark_call_hours SYNC',
	`CREATE MATERIALIZED VIEW IF NOT EXISTS mark_call_hours TO ${callHours} AS
	SELECT workspace_id, arrayJoin(${hoursFrom('own', 'last')}) AS hour, ${nowMs} AS marked_ms, arrived, if(stored_ms + ${writtenBackMs} < marked_ms, marked_ms, 0) AS changed_ms
	FROM (SELECT workspace_id, toStartOfHour(toDateTime(started_at, 'UTC')) AS own, max(${lastHour}) AS last, count() AS arrived,
			toUInt64(toUnixTimestamp64Milli(min(stored_at))) AS stored_ms
		FROM spans GROUP BY workspace_id, own)`,
	`INSERT INTO ${callHours} (workspace_id, hour, marked_ms, rolled_ms) ${marksOf('spans', nowMs)}`,
]

/**
 * A SELECT of marks. A span affects the calls of its own hours and of the adjacent ones, because views of a call are at most an
 * hour apart.
 */
export function marksOf(spans: string, markedMs: string): string {
	return `SELECT DISTINCT workspace_id, arrayJoin(${hoursFrom('own', 'last')}) AS hour, ${markedMs} AS marked_ms, toUInt64(0) AS rolled_ms
	FROM (SELECT DISTINCT workspace_id, toStartOfHour(toDateTime(started_at, 'UTC')) AS own, ${lastHour} AS last FROM ${spans})`
}

/** Longer than it takes to delete or change spans. Until then their hours are not rolled up. */
const aheadMs = 10 * 60 * 1000

/**
 * Call this before spans are deleted or changed: their hours are then read from `spans`, and rolled up again later. Inserted spans
 * mark their hours themselves. `condition` is our own SQL, never a user's.
 */
export async function markHoursOf(
	store: Pick<TelemetryStore, 'command'>,
	condition: string,
	parameters: Record<string, unknown>,
): Promise<void> {
	const marks = changesOf(`spans WHERE ${condition}`, `${nowMs} + ${aheadMs}`)
	await store.command(`INSERT INTO ${callHours} (${changeColumns}) ${marks}`, parameters)
	changes++
}

let changes = 0
/**
 * How often this program has marked hours in this way or has completed a change. If the number changes, rolls and figures that were known
 * before may be invalid.
 */
export const hoursChanged = () => changes

/** Call this when spans were deleted or changed, because queries since `markHoursOf` may have read what they were before. */
export function completeChange(): void {
	changes++
}

/**
 * Forgets the rolls of a clock that has since been set back. New marks would be older than these, so what arrives now would never be
 * counted. True if there were any.
 */
export async function forgetFutureRolls(store: Pick<TelemetryStore, 'query' | 'command'>): Promise<boolean> {
	const isFuture = (
		now: string,
	) => `(greatest(rolled_ms, tupleElement(narrowed, 1), tupleElement(opened, 1)) > ${now}
		OR greatest(marked_ms, changed_ms) > ${now} + ${aheadMs})`
	const [found] = await store.query<{ now: string }>(
		`SELECT toString(${nowMs}) AS now FROM ${callHours} WHERE ${isFuture(nowMs)} LIMIT 1`,
	)
	if (!found) return false
	// A replicated table takes no `now` in a mutation.
	const now = 'toUInt64({now:UInt64})'
	const none = (column: string) => `${column} = defaultValueOfTypeName(toTypeName(${column}))`
	await store.command(
		`ALTER TABLE ${callHours} UPDATE marked_ms = ${now}, changed_ms = least(changed_ms, ${now}), rolled_ms = toUInt64(0),
			${none('narrowed')}, ${none('opened')} WHERE ${isFuture(now)} SETTINGS mutations_sync = 2`,
		found,
	)
	changes++
	return true
}
