import { rollups, telemetryTables } from '../telemetry/index.ts'
import type { DemoContext } from './context.ts'
import { deleteDemo, listRemoved } from './repository.ts'

/** Every table with rows of a workspace: what was received first, then what was made of it. */
const tables = [...telemetryTables, rollups.countedCalls, rollups.hourVisitors, rollups.callHours]

/** Erases the telemetry of demos whose workspace is gone, once all of it has reached the store. */
export function createEraser(demo: DemoContext): (signal: AbortSignal) => Promise<void> {
	const seenAtMs = new Map<string, number>()
	return async (signal) => {
		for (const workspaceId of await listRemoved(demo.store.db)) {
			const seenMs = seenAtMs.get(workspaceId) ?? demo.clock.nowMs()
			seenAtMs.set(workspaceId, seenMs)
			if (signal.aborted || !isShipped(demo, seenMs)) return
			await eraseTelemetry(demo, workspaceId)
			await demo.mutate((tx) => deleteDemo(tx, workspaceId))
			seenAtMs.delete(workspaceId)
		}
	}
}

/** Whether all that was recorded before a time is in the store: what is in the log alone could not be found. */
function isShipped({ recorder, clock }: DemoContext, atMs: number): boolean {
	const { pendingRows, oldestPendingMs } = recorder.stats()
	return pendingRows === 0 || clock.nowMs() - oldestPendingMs > atMs
}

async function eraseTelemetry({ telemetry }: DemoContext, workspaceId: string): Promise<void> {
	for (const table of tables)
		await telemetry.command(
			`ALTER TABLE ${table} DELETE WHERE workspace_id = {workspace:String} SETTINGS mutations_sync = 2`,
			{ workspace: workspaceId },
		)
}
