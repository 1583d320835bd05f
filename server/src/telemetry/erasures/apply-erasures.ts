import type { Clock } from '../../platform/clock.ts'
import { eraseRows, findApplied, noteApplied, type Subject } from './erase-rows.ts'
import type { ErasureContext } from './erasures.ts'
import { type ErasureRow, listAllErasures, noteErased } from './repository.ts'

/**
 * Carries out the erasures that the telemetry store has not been through: the new ones, and on a store that came back from
 * a backup those since then.
 */
export async function applyErasures(
	{ store, mutate, clock, recorder, telemetry }: ErasureContext,
	signal: AbortSignal,
): Promise<void> {
	const wanted = await listAllErasures(store.db)
	if (wanted.length === 0) return
	const applied = await findApplied(telemetry)
	for (const row of wanted.filter(({ id }) => !applied.has(id))) {
		if (signal.aborted || !(await isShipped(recorder, clock, row.created_at))) return
		await eraseRows(telemetry, toSubject(row))
		await noteApplied(telemetry, row.workspace_id, row.id)
		await mutate((tx) => noteErased(tx, row.id, clock.nowMs()))
	}
}

/** Whether all that was recorded before a time is in the store: what is in the log alone could not be found. */
export async function isShipped(
	recorder: ErasureContext['recorder'],
	clock: Clock,
	atMs: number,
): Promise<boolean> {
	const { pendingRows, oldestPendingMs } = await recorder.stats()
	return pendingRows === 0 || clock.nowMs() - oldestPendingMs > atMs
}

/**
 * Takes away again what was erased since a time, for whoever puts rows back that were read before. Erasures that are still to
 * be carried out find them by themselves.
 */
export async function eraseAgain(
	{ store, telemetry }: Pick<ErasureContext, 'store' | 'telemetry'>,
	sinceMs: number,
): Promise<void> {
	const erased = (await listAllErasures(store.db)).filter(({ erased_at }) => (erased_at ?? 0) >= sinceMs)
	for (const row of erased) await eraseRows(telemetry, toSubject(row))
}

function toSubject({ workspace_id, session_id, user_id, created_at }: ErasureRow): Subject {
	const shared = { workspaceId: workspace_id, beforeMs: created_at }
	if (session_id !== null) return { ...shared, kind: 'session', value: session_id }
	return { ...shared, kind: 'user', value: user_id ?? '' }
}
