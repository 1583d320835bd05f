import { callJoins, callKeys, isShipped, rollups, sumTables, telemetryTables } from '../../telemetry/index.ts'
import type { DemoContext } from './context.ts'
import { deleteDemo, listRemoved } from './repository.ts'

/** Every table with rows of a workspace: what was received first, then what was made of it. */
const tables = [...telemetryTables, callJoins, callKeys, ...sumTables.rolledTables, rollups.callHours]

/** Erases the telemetry of demos whose workspace is gone, once all of it has reached the store. */
export function createEraser(demo: DemoContext): (signal: AbortSignal) => Promise<void> {
	const seenAtMs = new Map<string, number>()
	return async (signal) => {
		for (const workspaceId of await listRemoved(demo.store.db)) {
			const seenMs = seenAtMs.get(workspaceId) ?? demo.clock.nowMs()
			seenAtMs.set(workspaceId, seenMs)
			if (signal.aborted || !(await isShipped(demo.recorder, demo.clock, seenMs))) return
			await eraseTelemetry(demo, workspaceId)
			await demo.mutate((tx) => deleteDemo(tx, workspaceId))
			seenAtMs.delete(workspaceId)
		}
	}
}

async function eraseTelemetry({ telemetry }: DemoContext, workspaceId: string): Promise<void> {
	for (const table of tables)
		await telemetry.command(
			`ALTER TABLE ${table} DELETE WHERE workspace_id = {workspace:String} SETTINGS mutations_sync = 2`,
			{ workspace: workspaceId },
		)
}
