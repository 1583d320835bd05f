import type { Queryable } from '../../platform/database/index.ts'
import { listTokens } from './tool-definition-repository.ts'

export type { ToolDefinition } from './definition.ts'
export { sumOf } from './read-versions.ts'
export { prepareTools } from './scan/scan-definition.ts'
export { judgeTools, takeTools } from './settle-tools.ts'
export {
	listChangingTools,
	listTools,
	listToolsForView,
	type ToolRow,
	type VersionTimes,
} from './tool-definition-repository.ts'
export { openToolDefinitions } from './tool-definitions.ts'

/** The tokens of a tool's definition; null for one that is not counted yet, 0 for a tool that the server does not have. */
export type TokenCounts = (serverId: string, tool: string) => number | null

export async function readTokens(
	db: Queryable,
	workspaceId: string,
	serverIds: readonly string[],
): Promise<TokenCounts> {
	const rows = await listTokens(db, workspaceId, serverIds)
	const counts = new Map(rows.map((row) => [`${row.server_id} ${row.name}`, row.tokens]))
	return (serverId, tool) => {
		const count = counts.get(`${serverId} ${tool}`)
		return count === undefined ? 0 : count
	}
}
