import type { TelemetryStore } from '../../../platform/clickhouse/store.ts'
import type { DatabaseTransaction, Queryable } from '../../../platform/database/database.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import { readStore } from '../../../telemetry/index.ts'

export type AppliedRow = ControlSchema['access_suggestions']

/** How an agent used a tool of a server. 64-bit numbers are text. */
export interface UseRow {
	agent: string
	server: string
	tool: string
	/** Tool calls that were not refused. */
	calls: string
	last_ms: string
	/** Prompts, resources and completions. */
	beside: string
}

/** Without lists, which clients request when they connect, whatever they need. */
const besideTools = "kind = 'mcp' AND mcp_method IN ('prompts/get', 'resources/read', 'completion/complete')"

export function listUse(
	store: Pick<TelemetryStore, 'query'>,
	workspaceId: string,
	{ startMs, endMs }: TimeRange,
): Promise<UseRow[]> {
	const used = "kind = 'tool_call' AND status != 'denied'"
	return readStore(() =>
		store.query<UseRow>(
			`SELECT toString(agent_id) AS agent, toString(server_id) AS server, toString(tool_name) AS tool, countIf(${used}) AS calls,
				toUnixTimestamp64Milli(maxIf(started_at, ${used})) AS last_ms, countIf(${besideTools} AND status != 'denied') AS beside
			FROM spans WHERE workspace_id = {workspace:String} AND source != 'otlp' AND agent_id != ''
				AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')
			GROUP BY agent, server, tool`,
			{ workspace: workspaceId, start: startMs, end: endMs },
		),
	)
}

export function findApplied(db: Queryable, workspaceId: string, id: string): Promise<AppliedRow | undefined> {
	return db
		.selectFrom('access_suggestions')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.executeTakeFirst()
}

/** Newest first. */
export function listApplied(db: Queryable, workspaceId: string, reverted: boolean): Promise<AppliedRow[]> {
	return db
		.selectFrom('access_suggestions')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('reverted_at', reverted ? 'is not' : 'is', null)
		.orderBy('applied_at', 'desc')
		.orderBy('id')
		.execute()
}

/** Stores an applied suggestion. It replaces the record of one that was reverted. */
export async function putApplied(tx: DatabaseTransaction, row: AppliedRow): Promise<void> {
	await tx
		.deleteFrom('access_suggestions')
		.where('workspace_id', '=', row.workspace_id)
		.where('id', '=', row.id)
		.execute()
	await tx.insertInto('access_suggestions').values(row).execute()
}

export async function markReverted(
	tx: DatabaseTransaction,
	workspaceId: string,
	id: string,
	atMs: number,
): Promise<void> {
	await tx
		.updateTable('access_suggestions')
		.set({ reverted_at: atMs })
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', id)
		.execute()
}
