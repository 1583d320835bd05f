import { setTimeout } from 'node:timers/promises'
import type { Audit } from '../../accounts/audit/audit.ts'
import { appendChange } from '../../platform/changes.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { sessionKeys, userKeys } from '../normalise/names.ts'
import { sessionCondition } from '../reads/derived-session.ts'
import type { LogSubject } from '../recorder/recorder.ts'
import { callJoins, traceLinks } from '../rollups/call-joins.ts'
import { completeChange, markHoursOf } from '../rollups/rollup-tables.ts'
import { rolledTables } from '../rollups/sum-tables.ts'
import { type ErasureRow, listAllErasures, recordErasure } from './erasure-repository.ts'

export interface ErasureContext {
	store: ControlStore
	mutate: Mutate
	audit: Audit
	clock: Clock
	jobs: Jobs
	/** See `openShedOfAll`. */
	shedLogs(subject: LogSubject): Promise<boolean>
	telemetry: Pick<TelemetryStore, 'query' | 'command'>
	/** Shorter in tests: see `eraseRows`. */
	pauseMs?: number
}

type Store = Pick<TelemetryStore, 'query' | 'command'>

interface Subject {
	workspaceId: string
	kind: 'session' | 'user'
	value: string
	/** What happened from this time on is kept. */
	beforeMs: number
}

/** Attributes that name a subject in any dialect, where it has no column. */
const keysOf = { session: sessionKeys, user: userKeys } as const
const named =
	'arrayExists(key -> attributes[key] = {value:String} OR resource[key] = {value:String}, {keys:Array(String)})'

/** Number of ids per statement. */
const chunk = 2000

/**
 * Joins and repricings read spans and write rows of them a little later. What they read before the spans were deleted is written by the
 * end of this time.
 */
const writtenLaterMs = 5000

/**
 * Deletes a subject's rows from all tables. Spans, and in the end what is known of calls beyond them, are deleted last: they determine
 * which traces belong to the subject, so an erasure that is interrupted at any point can be repeated.
 */
export async function eraseRows(store: Store, subject: Subject, pauseMs = writtenLaterMs): Promise<void> {
	const traces = await tracesOf(store, subject)
	await deleteFrom(store, 'logs', 'recorded_at', named, subject)
	await deleteFrom(store, 'metrics', 'recorded_at', named, subject)
	for (let at = 0; at < traces.length; at += chunk) {
		const ids = traces.slice(at, at + chunk)
		await deleteFrom(store, 'logs', 'recorded_at', ofTraces, subject, ids)
		await eraseExchanges(store, subject, ids)
		await markHoursOf(store, `workspace_id = {workspace:String} AND ${ofTraces}`, {
			workspace: subject.workspaceId,
			traces: ids,
		})
		for (const table of rolledTables) await deleteFrom(store, table, 'hour', inHoursOfTraces, subject, ids)
		await deleteFrom(store, traceLinks, 'started_at', ofLinkedTraces, subject, ids)
		await deleteFrom(store, 'ledger_versions', 'started_at', ofTraces, subject, ids)
		await keepTraces(store, subject, ids)
		await deleteFrom(store, 'spans', 'started_at', ofTraces, subject, ids)
	}
	completeChange()
	if (traces.length > 0) await setTimeout(pauseMs)
	for (let at = 0; at < traces.length; at += chunk) {
		const ids = traces.slice(at, at + chunk)
		await deleteFrom(store, traceLinks, 'started_at', ofLinkedTraces, subject, ids)
		await deleteFrom(store, 'ledger_versions', 'started_at', ofTraces, subject, ids)
		await deleteFrom(store, callJoins, 'hour', ofTraces, subject, ids)
	}
	completeChange()
}

const startedBefore = "started_at < fromUnixTimestamp64Milli({before:Int64}, 'UTC')"
const ofTraces = 'has({traces:Array(String)}, lower(hex(trace_id)))'
const ofLinkedTraces = `(${ofTraces} OR has({traces:Array(String)}, lower(hex(linked_trace))))`
/** A rollup row covers many calls, so the rows of whole hours are deleted. Such an hour is read raw until it is rolled up again. */
const inHoursOfTraces = `hour IN (SELECT toStartOfHour(toDateTime(started_at, 'UTC')) FROM spans WHERE workspace_id = {workspace:String} AND ${ofTraces})`

/** Notes of traces that they belong to the subject, for `tracesOf` when their spans are deleted: a row of no call for each of them. */
async function keepTraces(
	store: Store,
	{ workspaceId, kind, value, beforeMs }: Subject,
	traces: readonly string[],
): Promise<void> {
	await store.command(
		`INSERT INTO ${callJoins} (workspace_id, retention_days, hour, started_at, trace_id, ${kind}_id)
			SELECT workspace_id, max(retention_days), toStartOfHour(toDateTime(max(started_at), 'UTC')), max(started_at), trace_id, {value:String}
			FROM spans WHERE workspace_id = {workspace:String} AND ${startedBefore} AND ${ofTraces} GROUP BY workspace_id, trace_id`,
		{ workspace: workspaceId, before: beforeMs, value, traces: [...traces] },
	)
}

/**
 * Texts that other calls refer to are kept, because they belong to those as well. So are texts stored later: processes forget which
 * texts are stored when an erasure is requested, so later calls store their own.
 */
async function eraseExchanges(
	store: Store,
	{ workspaceId, beforeMs }: Subject,
	traces: readonly string[],
): Promise<void> {
	const erased = `(recorded_at < fromUnixTimestamp64Milli({before:Int64}, 'UTC') AND ${ofTraces})`
	const hashes = (which: string) =>
		`SELECT arrayJoin(part_hash) FROM exchanges WHERE workspace_id = {workspace:String} AND ${which}`
	const parameters = { workspace: workspaceId, before: beforeMs, traces: [...traces] }
	await store.command(
		`ALTER TABLE messages DELETE WHERE workspace_id = {workspace:String} AND hash IN (${hashes(erased)})
			AND recorded_at < fromUnixTimestamp64Milli({before:Int64}, 'UTC') AND hash NOT IN (${hashes(`NOT ${erased}`)}) SETTINGS mutations_sync = 2`,
		parameters,
	)
	await store.command(
		`ALTER TABLE exchanges DELETE WHERE workspace_id = {workspace:String} AND ${erased} SETTINGS mutations_sync = 2`,
		parameters,
	)
}

/**
 * The traces that name the subject, and those with a view of a call that takes the name from another view, an ancestor or the model call
 * that requested it.
 */
async function tracesOf(store: Store, { workspaceId, kind, value, beforeMs }: Subject): Promise<string[]> {
	const { sql, parameters } =
		kind === 'session'
			? sessionCondition(value)
			: { sql: 'user_id = {user:String}', parameters: { user: value } }
	const found = await store.query<{ trace: string }>(
		`SELECT DISTINCT lower(hex(trace_id)) AS trace FROM (
			SELECT trace_id FROM spans WHERE workspace_id = {workspace:String} AND ${sql} AND ${startedBefore}
			UNION ALL SELECT trace_id FROM ${callJoins} FINAL WHERE workspace_id = {workspace:String} AND ${kind}_id = {value:String} AND ${startedBefore}
		) ORDER BY trace`,
		{ workspace: workspaceId, before: beforeMs, value, ...parameters },
	)
	return found.map(({ trace }) => trace)
}

/** Rewrites the parts that contain such rows, and waits for that: a row that is only marked as deleted would still be on disk. */
async function deleteFrom(
	store: Store,
	table: string,
	time: string,
	condition: string,
	{ workspaceId, kind, value, beforeMs }: Subject,
	traces: readonly string[] = [],
): Promise<void> {
	const names = traces.length > 0 ? { traces: [...traces] } : { value, keys: [...keysOf[kind]] }
	await store.command(
		`ALTER TABLE ${table} DELETE WHERE workspace_id = {workspace:String}
			AND ${time} < fromUnixTimestamp64Milli({before:Int64}, 'UTC') AND ${condition} SETTINGS mutations_sync = 2`,
		{ workspace: workspaceId, before: beforeMs, ...names },
	)
}

/** The erasures that have been applied to this store; after a restore some are missing. */
async function findApplied(store: Store): Promise<Set<string>> {
	const rows = await store.query<{ id: string }>('SELECT DISTINCT id FROM erasures')
	return new Set(rows.map(({ id }) => id))
}

async function noteApplied(store: Store, workspaceId: string, id: string): Promise<void> {
	await store.command('INSERT INTO erasures (workspace_id, id) SELECT {workspace:String}, {id:String}', {
		workspace: workspaceId,
		id,
	})
}

/**
 * Applies the erasures that the telemetry store has not been through: new ones and, on a store that was restored from a backup,
 * those since that backup. Resolves with whether no new one is left.
 */
export async function applyErasures(
	{ store, mutate, clock, shedLogs, telemetry, pauseMs }: ErasureContext,
	signal: AbortSignal,
	carriesOut: (id: string) => void = () => {},
	/** Whether to query the telemetry store for the erasures applied to it; otherwise only new ones are applied. */
	compares = true,
): Promise<boolean> {
	const wanted = await listAllErasures(store.db)
	const isNew = ({ erased_at }: ErasureRow) => erased_at === null
	if (compares ? wanted.length === 0 : !wanted.some(isNew)) return true
	let isComplete = true
	const applied = compares ? await findApplied(telemetry) : null
	for (const row of wanted.filter((one) => isNew(one) || applied?.has(one.id) === false)) {
		if (signal.aborted) return false
		const subject = toSubject(row)
		// Rows that are only in a log could not be found, and what a log still holds could be read there.
		if (!(await shedLogs(subject))) {
			isComplete = false
			continue
		}
		await eraseRows(telemetry, subject, pauseMs)
		await noteApplied(telemetry, row.workspace_id, row.id)
		carriesOut(row.id)
		await mutate(async (tx) => {
			await recordErasure(tx, row.id, clock.nowMs())
			await appendChange(tx, 'erasure', row.id, clock)
		})
	}
	return isComplete
}

/**
 * Repeats the erasures since a time, for code that writes back rows which it read before. Pending erasures find those rows by
 * themselves.
 */
export async function repeatErasures(
	{ store, telemetry }: Pick<ErasureContext, 'store' | 'telemetry'>,
	sinceMs: number,
): Promise<void> {
	const erased = (await listAllErasures(store.db)).filter(({ erased_at }) => (erased_at ?? 0) >= sinceMs)
	for (const row of erased) await eraseRows(telemetry, toSubject(row))
}

export function toSubject({ workspace_id, session_id, user_id, created_at }: ErasureRow): Subject {
	const shared = { workspaceId: workspace_id, beforeMs: created_at }
	if (session_id !== null) return { ...shared, kind: 'session', value: session_id }
	return { ...shared, kind: 'user', value: user_id ?? '' }
}
