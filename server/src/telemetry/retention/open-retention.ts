import { retentionOperations } from '@signalbox/contract'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { TelemetryStore } from '../../platform/clickhouse/index.ts'
import type { DataDisk } from '../../platform/data-disk.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import type { Figure } from '../../platform/health/index.ts'
import { type BoundOperation, bind, principalIn } from '../../platform/http/index.ts'
import type { Jobs } from '../../platform/jobs/index.ts'
import type { Log } from '../../platform/log.ts'
import { guardDisk } from './disk-guard.ts'
import { dropExpired } from './expire.ts'
import { listRetention } from './repository.ts'
import { createRetentionView, type RetentionView } from './retention-view.ts'
import { presentRetention, type RetentionContext, setRetention } from './set-retention.ts'

export interface RetentionDependencies extends Omit<RetentionContext, 'instanceDays'> {
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
