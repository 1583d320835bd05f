import type { CallRecordingMode } from '@signalbox/contract'
import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

type Row = ControlSchema['call_recording_settings']

interface CallSettings {
	mode: CallRecordingMode
	tool_content: boolean
}

const toSettings = ({ mode, tool_content }: Pick<Row, 'mode' | 'tool_content'>): CallSettings => ({
	mode: mode as CallRecordingMode,
	tool_content: tool_content === 1,
})

export async function findSettings(db: Queryable, workspaceId: string): Promise<CallSettings> {
	const row = await db
		.selectFrom('call_recording_settings')
		.select(['mode', 'tool_content'])
		.where('workspace_id', '=', workspaceId)
		.executeTakeFirst()
	return row ? toSettings(row) : { mode: 'required', tool_content: true }
}

export async function setSettings(
	tx: DatabaseTransaction,
	workspaceId: string,
	{ mode, tool_content }: CallSettings,
	nowMs: number,
): Promise<void> {
	const values = { mode, tool_content: Number(tool_content), updated_at: nowMs }
	await tx
		.insertInto('call_recording_settings')
		.values({ workspace_id: workspaceId, ...values })
		.onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(values))
		.execute()
}

/** For the view in memory, which covers all workspaces. */
export async function listSettingsForView(
	db: Queryable,
): Promise<({ workspace_id: string } & CallSettings)[]> {
	const rows = await db.selectFrom('call_recording_settings').selectAll().execute()
	return rows.map((row) => ({ workspace_id: row.workspace_id, ...toSettings(row) }))
}
