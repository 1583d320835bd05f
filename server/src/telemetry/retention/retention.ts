import { setTimeout as sleep } from 'node:timers/promises'
import {
	type BodyOf,
	type OutputOf,
	type RetainedSignal,
	retainedSignals,
	retentionClasses,
	retentionOperations,
} from '@signalbox/contract'
import { type Audit, actorOf } from '../../accounts/audit/audit.ts'
import { appendEvent, hasEvent } from '../../accounts/events/events.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange, type ChangeFeed, type View } from '../../platform/changes.ts'
import { dropAbandonedTables, isMakingBackup } from '../../platform/clickhouse/frozen-table.ts'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { DataDisk } from '../../platform/data-disk.ts'
import type {
	ControlStore,
	Database,
	DatabaseTransaction,
	Queryable,
} from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'
import type { Figure } from '../../platform/health/metrics.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { retainedTables } from '../tables.ts'
import {
	dayOfPart,
	dropExpired,
	dropPartitions,
	type Partition,
	type Store,
	tablesOfDays,
} from './partitions.ts'

/** The retention of each workspace for what arrives now, in memory. */
export interface RetentionView {
	daysOf(workspaceId: string, signal: RetainedSignal): number
}

function createRetentionView(db: Database, instanceDays: number): RetentionView & View {
	const byWorkspace = new Map<string, ReadonlyMap<string, number>>()
	const set = (workspaceId: string, rows: readonly RetentionRow[]) => {
		if (rows.length === 0) byWorkspace.delete(workspaceId)
		else byWorkspace.set(workspaceId, new Map(rows.map(({ signal, days }) => [signal, days])))
	}
	return {
		kinds: ['retention'],
		load: async () => {
			byWorkspace.clear()
			const rows = Map.groupBy(await listRetentionForView(db), (row) => row.workspace_id)
			for (const [workspaceId, own] of rows) set(workspaceId, own)
		},
		apply: async (_kind, workspaceId) => set(workspaceId, await listRetention(db, workspaceId)),
		daysOf: (workspaceId, signal) => byWorkspace.get(workspaceId)?.get(signal) ?? instanceDays,
	}
}

type RetentionDocument = OutputOf<(typeof retentionOperations)['get']>
type Wanted = BodyOf<(typeof retentionOperations)['replace']>

interface RetentionContext {
	mutate: Mutate
	audit: Audit
	clock: Clock
	instanceDays: number
}

function presentRetention(rows: readonly RetentionRow[], instanceDays: number): RetentionDocument {
	const daysOf = (signal: RetainedSignal) =>
		(rows.find((row) => row.signal === signal)?.days ?? null) as RetentionDocument['traces_days']
	return {
		traces_days: daysOf('traces'),
		logs_days: daysOf('logs'),
		metrics_days: daysOf('metrics'),
		instance_days: instanceDays,
	}
}

/** Sets the retention of what arrives from now on. */
async function setRetention(
	{ mutate, audit, clock, instanceDays }: RetentionContext,
	request: RequestContext,
	wanted: Wanted,
): Promise<RetentionDocument> {
	const principal = principalIn(request)
	const { workspaceId } = principal
	return mutate(async (tx) => {
		const before = presentRetention(await listRetention(tx, workspaceId), instanceDays)
		requireUnchanged(before)
		refuseChanged(wanted, before, ['instance_days'])
		const rows = rowsOf(workspaceId, wanted, clock)
		await replaceRetention(tx, workspaceId, rows)
		const retention = presentRetention(rows, instanceDays)
		await audit.record(tx, {
			workspaceId,
			actor: actorOf(principal),
			action: 'retention.replace',
			target: null,
			detail: { before, after: retention },
			requestId: request.requestId,
		})
		await appendChange(tx, 'retention', workspaceId, clock)
		return retention
	})
}

/** Gives a workspace the longest possible retention, whatever the instance's is. For generated data, as in the demo. */
export async function setLongestRetention(
	tx: DatabaseTransaction,
	clock: Clock,
	workspaceId: string,
): Promise<void> {
	const days = Math.max(...retentionClasses) as (typeof retentionClasses)[number]
	const wanted = { traces_days: days, logs_days: days, metrics_days: days }
	await replaceRetention(tx, workspaceId, rowsOf(workspaceId, wanted, clock))
	await appendChange(tx, 'retention', workspaceId, clock)
}

function rowsOf(workspaceId: string, wanted: Wanted, clock: Clock): RetentionRow[] {
	return retainedSignals.flatMap((signal) => {
		const days = wanted[`${signal}_days`]
		return days === null ? [] : [{ workspace_id: workspaceId, signal, days, updated_at: clock.nowMs() }]
	})
}

interface RetentionDependencies extends Omit<RetentionContext, 'instanceDays'> {
	store: ControlStore
	feed: ChangeFeed
	jobs: Jobs
	telemetry: Pick<TelemetryStore, 'query' | 'command'>
	/** Retention of workspaces that set none. */
	retentionDays: number
	log: Log
	/** The telemetry store's disk; null if that is on another machine. */
	disk: DataDisk | null
	/** Whether other programs may use the telemetry store. */
	isShared?: boolean
}

const expireEveryMs = 60 * 60 * 1000
const guardEveryMs = 30_000

/**
 * Opens retention: the workspaces' settings, held in memory, and the jobs that drop expired days, and the oldest days when the disk
 * is full.
 */
export function openRetention({
	store,
	feed,
	jobs,
	telemetry,
	retentionDays: instanceDays,
	disk,
	isShared = false,
	log,
	...rest
}: RetentionDependencies): { operations: BoundOperation[]; view: RetentionView; figures: readonly Figure[] } {
	const view = createRetentionView(store.db, instanceDays)
	feed.add(view)
	const expire = async () => {
		await dropAbandonedTables(telemetry, rest.clock.nowMs(), !isShared)
		await dropExpired(telemetry, rest.clock.deletionMs())
	}
	if (isShared) jobs.every('telemetry-expire', expireEveryMs, expire)
	else jobs.everyHere('telemetry-expire', expireEveryMs, expire)
	if (disk)
		jobs.everyHere('telemetry-disk-guard', guardEveryMs, async () => {
			await guardDisk({ ...rest, telemetry, disk, log })
		})
	const operations = bind(retentionOperations, {
		get: async ({ context }) =>
			presentRetention(await listRetention(store.db, principalIn(context).workspaceId), instanceDays),
		replace: ({ body, context }) => setRetention({ ...rest, instanceDays }, context, body),
	})
	return { operations, view, figures: disk?.figures ?? [] }
}

interface GuardContext {
	mutate: Mutate
	telemetry: Store
	disk: Pick<DataDisk, 'measure' | 'reserveBytes'>
	clock: Clock
	log: Log
}

/** One day of stored telemetry. */
interface StoredDay {
	/** yyyy-mm-dd. */
	day: string
	partitions: Partition[]
	bytes: number
	/** Recorded rows by workspace. */
	rows: { workspace: string; rows: string }[]
}

const freedWithinMs = 10_000
const checkEveryMs = 100

/**
 * Drops whole days, the oldest first and never the current one, until the disk has its reserve again, because a full disk would
 * refuse new data. Each workspace that loses rows is notified. Returns the days: none while a backup holds their files.
 */
export async function guardDisk(context: GuardContext, freedMs = freedWithinMs): Promise<string[]> {
	const dropped: string[] = []
	const { disk, telemetry, clock } = context
	let free = await disk.measure()
	if (free >= disk.reserveBytes || isMakingBackup()) return dropped
	await dropAbandonedTables(telemetry, clock.nowMs(), true)
	for (free = await disk.measure(); free < disk.reserveBytes; ) {
		const oldest = await findOldestDay(context)
		if (!oldest) break
		await dropDay(context, oldest, free)
		dropped.push(oldest.day)
		const freed = await waitForRoom(context, free, oldest.bytes, freedMs)
		if (freed === null) break
		free = freed
	}
	return dropped
}

async function dropDay(
	context: GuardContext,
	{ day, partitions, bytes, rows }: StoredDay,
	freeBytes: number,
) {
	const { telemetry, disk, log } = context
	const notice = { day, bytes, free_bytes: freeBytes, reserve_bytes: disk.reserveBytes }
	log.warn(notice, 'the disk is nearly full: the oldest day of telemetry is dropped')
	const notify = async () => {
		for (const one of rows)
			await notifyWorkspace(context, one.workspace, { ...notice, rows: Number(one.rows) })
	}
	// Before the drop: after a kill in between, the day is found again, and its rows can still be counted.
	const isNotified = await notify().then(
		() => true,
		() => false,
	)
	await dropPartitions(telemetry, partitions)
	if (isNotified) return
	// The control store may be on the same disk, which now has room.
	await notify().catch((error: unknown) =>
		log.error({ err: error, day }, 'nobody was notified of the dropped day'),
	)
}

/** Once for the same rows of a day: a kill or a failure may repeat the drop. */
function notifyWorkspace(
	{ mutate, clock }: GuardContext,
	workspaceId: string,
	data: { day: string; rows: number } & Record<string, unknown>,
) {
	const type = 'telemetry.dropped'
	const { day, rows } = data
	return mutate(async (tx) => {
		if (await hasEvent(tx, { workspaceId, type, data: { day, rows } })) return
		await appendEvent(tx, { workspaceId, type, data }, clock)
	})
}

/** The free space once a dropped day's files are deleted; null if they are not, so that dropping more would be in vain. */
async function waitForRoom(
	{ disk }: GuardContext,
	beforeBytes: number,
	droppedBytes: number,
	patienceMs: number,
): Promise<number | null> {
	const endMs = performance.now() + patienceMs
	for (;;) {
		const free = await disk.measure()
		if (free >= disk.reserveBytes || free - beforeBytes >= droppedBytes / 2) return free
		if (performance.now() >= endMs) return null
		await sleep(checkEveryMs)
	}
}

async function findOldestDay({ telemetry, clock }: GuardContext): Promise<StoredDay | null> {
	const parts = await telemetry.query<Partition & { day: string; bytes: string }>(
		`SELECT toString(${dayOfPart}) AS day, table, partition_id AS id, toString(sum(bytes_on_disk)) AS bytes FROM system.parts
		WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}
			AND ${dayOfPart} < toDate(fromUnixTimestamp64Milli({now:Int64}, 'UTC'))
		GROUP BY day, table, id ORDER BY day, table, id`,
		{ tables: tablesOfDays, now: clock.deletionMs() },
	)
	const partitions = parts.filter(({ day }) => day === parts[0]?.day)
	if (!partitions[0]) return null
	return {
		day: partitions[0].day,
		partitions,
		bytes: partitions.reduce((sum, { bytes }) => sum + Number(bytes), 0),
		rows: await countRows(telemetry, partitions),
	}
}

/** Counts recorded rows only; sums derived from them can be computed again. */
async function countRows(telemetry: Store, partitions: readonly Partition[]): Promise<StoredDay['rows']> {
	const recorded = partitions.filter(({ table }) => (retainedTables as readonly string[]).includes(table))
	if (recorded.length === 0) return []
	const ids = recorded.map(({ id }) => id)
	const tables = [...new Set(recorded.map(({ table }) => table))]
	const counts = tables.map(
		(table) => `SELECT workspace_id FROM ${table} WHERE _partition_id IN {ids:Array(String)}`,
	)
	return telemetry.query(
		`SELECT workspace_id AS workspace, toString(count()) AS rows FROM (${counts.join(' UNION ALL ')}) GROUP BY workspace_id ORDER BY workspace_id`,
		{ ids },
	)
}

type RetentionRow = ControlSchema['retention_settings']

function listRetention(db: Queryable, workspaceId: string): Promise<RetentionRow[]> {
	return db.selectFrom('retention_settings').selectAll().where('workspace_id', '=', workspaceId).execute()
}

async function replaceRetention(
	tx: DatabaseTransaction,
	workspaceId: string,
	rows: readonly RetentionRow[],
): Promise<void> {
	await tx.deleteFrom('retention_settings').where('workspace_id', '=', workspaceId).execute()
	if (rows.length > 0)
		await tx
			.insertInto('retention_settings')
			.values([...rows])
			.execute()
}

/** For the view in memory, which covers all workspaces. */
function listRetentionForView(db: Queryable): Promise<RetentionRow[]> {
	return db.selectFrom('retention_settings').selectAll().execute()
}
