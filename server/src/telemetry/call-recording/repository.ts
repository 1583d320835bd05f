import type { CallRecordingMode } from '@signalbox/contract'
import type { ControlSchema, DatabaseTransaction, Queryable } from '../../platform/database/index.ts'

type ModeRow = ControlSchema['call_recording_settings']

export async function findMode(db: Queryable, workspaceId: string): Promise<CallRecordingMode> {
	const row = await db
		.selectFrom('call_recording_settings')
		.select('mode')
		.where('workspace_id', '=', workspaceId)
		.executeTakeFirst()
	return (row?.mode ?? 'required') as CallRecordingMode
}

export async function setMode(tx: DatabaseTransaction, row: ModeRow): Promise<void> {
	await tx
		.insertInto('call_recording_settings')
		.values(row)
		.onConflict((conflict) =>
			conflict.column('workspace_id').doUpdateSet({ mode: row.mode, updated_at: row.updated_at }),
		)
		.execute()
}

/** For the view, which spans workspaces. */
export function listModesForView(db: Queryable): Promise<ModeRow[]> {
	return db.selectFrom('call_recording_settings').selectAll().execute()
}
