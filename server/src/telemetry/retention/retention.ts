import {
	type BodyOf,
	type OutputOf,
	type RetainedSignal,
	retainedSignals,
	retentionClasses,
	retentionOperations,
} from '@signalbox/contract'
import { type Audit, actorOf } from '../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange, type ChangeFeed, type View } from '../../platform/changes.ts'
import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { DataDisk } from '../../platform/data-disk.ts'
import type { ControlStore, Database, DatabaseTransaction } from '../../platform/database/index.ts'
import type { Figure } from '../../platform/health/metrics.ts'
import { type BoundOperation, bind, principalIn, type RequestContext } from '../../platform/http/index.ts'
import type { Jobs } from '../../platform/jobs/job.ts'
import type { Log } from '../../platform/log.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { guardDisk } from './disk-guard.ts'
import { dropExpired } from './partitions.ts'
import {
	listRetention,
	listRetentionForView,
	type RetentionRow,
	replaceRetention,
} from './retention-repository.ts'

/** How long each workspace keeps what arrives now, in memory. */
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

/** Sets how long what arrives from now on is kept. */
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

/** A workspace keeps all that it gets as long as any can, whatever the instance says: for what is made, not observed. */
export async function keepLongest(tx: DatabaseTransaction, clock: Clock, workspaceId: string): Promise<void> {
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
	/** Of workspaces that set none. */
	retentionDays: number
	log: Log
	/** That of the telemetry store; null where it is another machine's. */
	disk: DataDisk | null
}

const expireEveryMs = 60 * 60 * 1000
const guardEveryMs = 30_000

/** How long telemetry is kept: what workspaces set, held in memory, and the jobs that drop what is older, and the oldest where the disk is full. */
export function openRetention({
	store,
	feed,
	jobs,
	telemetry,
	retentionDays: instanceDays,
	disk,
	log,
	...rest
}: RetentionDependencies): { operations: BoundOperation[]; view: RetentionView; figures: readonly Figure[] } {
	const view = createRetentionView(store.db, instanceDays)
	feed.add(view)
	jobs.every('telemetry-expire', expireEveryMs, async () => {
		await dropExpired(telemetry, rest.clock.deletionMs())
	})
	if (disk)
		jobs.every('telemetry-disk-guard', guardEveryMs, async () => {
			await guardDisk({ ...rest, telemetry, disk, log })
		})
	const operations = bind(retentionOperations, {
		get: async ({ context }) =>
			presentRetention(await listRetention(store.db, principalIn(context).workspaceId), instanceDays),
		replace: ({ body, context }) => setRetention({ ...rest, instanceDays }, context, body),
	})
	return { operations, view, figures: disk?.figures ?? [] }
}
