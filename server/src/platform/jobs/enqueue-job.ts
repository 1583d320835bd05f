import type { DatabaseTransaction } from '../database/index.ts'
import { newId } from '../ids.ts'
import type { NewJob } from './job.ts'
import { type JobRow, upsertJob } from './repository.ts'

/**
 * Adds a job, or moves the one of this kind and key to the earlier time, in the caller's transaction; for code that has
 * no runner at hand. Runners find it within a second; `Jobs.enqueue` also wakes that of its own process.
 */
export async function enqueueJob(tx: DatabaseTransaction, job: NewJob, nowMs: number): Promise<void> {
	await upsertJob(tx, newRow(job, nowMs))
}

function newRow({ kind, key, workspaceId, payload = null, runAtMs }: NewJob, nowMs: number): JobRow {
	return {
		id: newId(nowMs),
		kind,
		key,
		workspace_id: workspaceId,
		payload: JSON.stringify(payload),
		run_at: runAtMs ?? nowMs,
		again_at: null,
		attempts: 0,
		lease_holder: null,
		fence: 0,
		last_error: null,
		created_at: nowMs,
	}
}
