import type { DatabaseTransaction } from '../platform/database/index.ts'
import { doubledMs, withJitter } from '../platform/retry.ts'
import type { ServerContext } from './server-context.ts'
import type { ServerRow } from './server-repository.ts'

export const healthJob = 'server-health'
const longestMs = 10 * 60 * 1000

/** Milliseconds until the next check: sooner after a first failure, later and later while it stays away. */
export function nextCheckInMs(intervalMs: number, failures: number): number {
	if (failures === 1) return withJitter(intervalMs / 4, 0.2)
	const waitMs = doubledMs({ firstMs: intervalMs, longestMs }, Math.max(0, failures - 2))
	return withJitter(Math.max(intervalMs, waitMs) * 0.9, 0.2)
}

/** Sets when the background checks a server next, or that it does not: only active ones are checked. */
export async function scheduleCheck(
	tx: DatabaseTransaction,
	{ jobs, clock, checkIntervalMs }: ServerContext,
	{ id, workspace_id: workspaceId, status, failures, health_status }: ServerRow,
): Promise<void> {
	if (status !== 'active') return jobs.cancel(tx, healthJob, id)
	const waitMs = health_status === 'unknown' ? 0 : nextCheckInMs(checkIntervalMs, failures)
	await jobs.enqueue(tx, { kind: healthJob, key: id, workspaceId, runAtMs: clock.nowMs() + waitMs })
}
