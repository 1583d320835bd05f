import type { ControlSchema, DatabaseTransaction, Queryable } from '../platform/database/index.ts'
import type { ToolDefinition } from './server-entry.ts'
import { hashTool } from './tool-hash.ts'

export type ToolRow = ControlSchema['mcp_tools']

/** SQLite takes 32,766 parameters in a statement. */
const chunk = 1000

export function listTools(db: Queryable, workspaceId: string, serverId: string): Promise<ToolRow[]> {
	return db
		.selectFrom('mcp_tools')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.orderBy('position')
		.execute()
}

/** For the view, which spans workspaces. */
export function listToolsForView(db: Queryable): Promise<ToolRow[]> {
	return db.selectFrom('mcp_tools').selectAll().orderBy('server_id').orderBy('position').execute()
}

/** Makes these the server's tools; whether anything differed. */
export async function replaceTools(
	tx: DatabaseTransaction,
	workspaceId: string,
	serverId: string,
	tools: readonly ToolDefinition[],
): Promise<boolean> {
	const rows = tools.map(
		(tool, position): ToolRow => ({
			server_id: serverId,
			workspace_id: workspaceId,
			name: tool.name,
			definition: JSON.stringify(tool),
			hash: hashTool(tool),
			position,
		}),
	)
	const fingerprint = (of: readonly ToolRow[]) => JSON.stringify(of.map(({ name, hash }) => [name, hash]))
	if (fingerprint(rows) === fingerprint(await listTools(tx, workspaceId, serverId))) return false
	await tx
		.deleteFrom('mcp_tools')
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.execute()
	for (let from = 0; from < rows.length; from += chunk) {
		await tx
			.insertInto('mcp_tools')
			.values(rows.slice(from, from + chunk))
			.execute()
	}
	return true
}
