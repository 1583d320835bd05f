import { appendChange } from '../platform/changes.ts'
import type { DatabaseTransaction } from '../platform/database/index.ts'
import { scheduleCheck } from './check-schedule.ts'
import { hostedOrNotFound } from './present-program.ts'
import { type Caller, recordChange, type ServerContext } from './server-context.ts'
import { type ServerRow, updateServer } from './server-repository.ts'

/** One change of a hosted server: its columns, the audit record, and the check of what runs then. */
export function changeHosted(
	servers: ServerContext,
	caller: Caller,
	id: string,
	action: string,
	change: (
		row: ServerRow,
		tx: DatabaseTransaction,
	) => Promise<{ values: Partial<ServerRow>; detail: Record<string, unknown> }>,
): Promise<ServerRow> {
	return servers.mutate(async (tx) => {
		const before = await hostedOrNotFound(tx, caller.workspaceId, id)
		const { values, detail } = await change(before, tx)
		const changed = { ...values, updated_at: servers.clock.nowMs() }
		await updateServer(tx, caller.workspaceId, id, changed)
		const row = { ...before, ...changed }
		await scheduleCheck(tx, servers, row)
		await recordChange(tx, servers, caller, action, row, detail)
		await appendChange(tx, 'server', id, servers.clock)
		return row
	})
}
