import { appendChange } from '../../platform/changes.ts'
import { eraseRows, findApplied, noteApplied, type Subject } from './erase-rows.ts'
import type { ErasureContext } from './erasures.ts'
import { type ErasureRow, listAllErasures, noteErased } from './repository.ts'

/**
 * Carries out the erasures that the telemetry store has not been through: the new ones, and on a store that came back from
 * a backup those since then.
 */
export async function applyErasures(
	{ store, mutate, clock, shedLogs, telemetry }: ErasureContext,
	signal: AbortSignal,
	carriesOut: (id: string) => void = () => {},
): Promise<void> {
	const wanted = await listAllErasures(store.db)
	if (wanted.length === 0) return
	const applied = await findApplied(telemetry)
	for (const row of wanted.filter(({ id, erased_at }) => erased_at === null || !applied.has(id))) {
		if (signal.aborted) return
		const subject = toSubject(row)
		// What is in a log alone could not be found, and what a log still holds could be read there.
		if (!(await shedLogs(subject))) continue
		await eraseRows(telemetry, subject)
		await noteApplied(telemetry, row.workspace_id, row.id)
		carriesOut(row.id)
		await mutate(async (tx) => {
			await noteErased(tx, row.id, clock.nowMs())
			await appendChange(tx, 'erasure', row.id, clock)
		})
	}
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

export function toSubject({ workspace_id, session_id, user_id, created_at }: ErasureRow): Subject {
	const shared = { workspaceId: workspace_id, beforeMs: created_at }
	if (session_id !== null) return { ...shared, kind: 'session', value: session_id }
	return { ...shared, kind: 'user', value: user_id ?? '' }
}
