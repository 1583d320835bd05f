import { setTimeout as sleep } from 'node:timers/promises'
import { appendEvent } from '../../accounts/events/events.ts'
import type { Clock } from '../../platform/clock.ts'
import type { DataDisk } from '../../platform/data-disk.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { retainedTables } from '../tables.ts'
import { dayOfPart, dropPartitions, type Partition, type Store, tablesOfDays } from './partitions.ts'

export interface GuardContext {
	mutate: Mutate
	telemetry: Store
	disk: Pick<DataDisk, 'look' | 'reserveBytes'>
	clock: Clock
	log: Log
}

/** One day of telemetry as it lies on the disk. */
interface StoredDay {
	/** yyyy-mm-dd. */
	day: string
	partitions: Partition[]
	bytes: number
	/** Rows that were recorded, by their workspace. */
	rows: { workspace: string; rows: string }[]
}

const freedWithinMs = 10_000
const lookEveryMs = 100

/**
 * Drops whole days, the oldest first and never the present one, until the disk has its reserve again: a full disk would
 * refuse what is new. Each workspace that loses something is notified. Returns the days.
 */
export async function guardDisk(context: GuardContext, freedMs = freedWithinMs): Promise<string[]> {
	const dropped: string[] = []
	for (let free = await context.disk.look(); free < context.disk.reserveBytes; ) {
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
	const told = { day, bytes, free_bytes: freeBytes, reserve_bytes: disk.reserveBytes }
	log.warn(told, 'the disk is nearly full: the oldest day of telemetry is dropped')
	await dropPartitions(telemetry, partitions)
	try {
		for (const one of rows) await tell(context, one.workspace, { ...told, rows: Number(one.rows) })
	} catch (error) {
		// The control store may be on the same disk.
		log.error({ err: error, day }, 'nobody was notified of the dropped day')
	}
}

function tell({ mutate, clock }: GuardContext, workspaceId: string, data: Record<string, unknown>) {
	return mutate((tx) => appendEvent(tx, { workspaceId, type: 'telemetry.dropped', data }, clock))
}

/** What is free once a dropped day has left the disk; null when it does not, and dropping more would be in vain. */
async function waitForRoom(
	{ disk }: GuardContext,
	beforeBytes: number,
	droppedBytes: number,
	patienceMs: number,
): Promise<number | null> {
	const endMs = performance.now() + patienceMs
	for (;;) {
		const free = await disk.look()
		if (free >= disk.reserveBytes || free - beforeBytes >= droppedBytes / 2) return free
		if (performance.now() >= endMs) return null
		await sleep(lookEveryMs)
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

/** Of what was recorded; sums made from it can be made again. */
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
