import type { Queryable } from '../../../platform/database/index.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import { isFailed, readStore } from '../../../telemetry/index.ts'
import type { AlertContext } from '../context.ts'

export interface WatchedServer {
	id: string
	name: string
	health_status: string
}

/** The servers of a workspace that are in use. */
export function listServers(db: Queryable, workspaceId: string): Promise<WatchedServer[]> {
	return db
		.selectFrom('mcp_servers')
		.select(['id', 'name', 'health_status'])
		.where('workspace_id', '=', workspaceId)
		.where('status', '=', 'active')
		.orderBy('name')
		.orderBy('id')
		.execute()
}

export interface ChangedTool {
	server_id: string
	server: string
	tool: string
	hash: string
}

/** Tools that wait for the approval of a definition, with the newest one that was seen. */
export function listSuspendedTools(db: Queryable, workspaceId: string): Promise<ChangedTool[]> {
	return db
		.selectFrom('tool_pins as pin')
		.innerJoin('mcp_servers as server', 'server.id', 'pin.server_id')
		.select((eb) => [
			'pin.server_id',
			'server.name as server',
			'pin.name as tool',
			eb.cast<string>('pin.since', 'text').as('hash'),
		])
		.where('pin.workspace_id', '=', workspaceId)
		.where('pin.state', '=', 'suspended')
		.where('pin.approved_hash', 'is not', null)
		.orderBy('server.name')
		.orderBy('pin.name')
		.execute()
}

/** Definitions first seen since then, of tools that had another one before. */
export function listChangedTools(
	db: Queryable,
	workspaceId: string,
	sinceMs: number,
): Promise<ChangedTool[]> {
	return db
		.selectFrom('tool_definitions as now')
		.innerJoin('mcp_servers as server', 'server.id', 'now.server_id')
		.select(['now.server_id', 'server.name as server', 'now.name as tool', 'now.hash'])
		.where('now.workspace_id', '=', workspaceId)
		.where('now.first_seen', '>=', sinceMs)
		.where(({ exists, selectFrom }) =>
			exists(
				selectFrom('tool_definitions as older')
					.select('older.hash')
					.whereRef('older.server_id', '=', 'now.server_id')
					.whereRef('older.name', '=', 'now.name')
					.whereRef('older.first_seen', '<', 'now.first_seen'),
			),
		)
		.orderBy('server.name')
		.orderBy('now.name')
		.execute()
}

type Telemetry = AlertContext['telemetry']

/** When the first model call of a range began; null without one. */
export async function firstModelCallMs(
	telemetry: Telemetry,
	workspaceId: string,
	{ startMs, endMs }: TimeRange,
): Promise<number | null> {
	const [found] = await readStore(() =>
		telemetry.query<{ first: string; calls: string }>(
			`SELECT toString(toUnixTimestamp64Milli(min(started_at))) AS first, count() AS calls FROM spans
			WHERE ${inRange} AND kind = 'model_call'`,
			{ workspace: workspaceId, start: startMs, end: endMs },
		),
	)
	return found && Number(found.calls) > 0 ? Number(found.first) : null
}

/** Calls of one tool by one agent that are alike: the same arguments, or the same failure. */
export interface RepeatedCalls {
	agent: string
	agent_label: string
	tool: string
	/** How they failed; '' for those that are alike by their arguments. */
	failure: string
	calls: string
}

/** The most frequent first. The same call seen by the gateway and by an SDK is counted once, since sources are kept apart. */
export function listRepeatedCalls(
	telemetry: Telemetry,
	workspaceId: string,
	{ startMs, endMs }: TimeRange,
	atLeast: number,
): Promise<RepeatedCalls[]> {
	return readStore(() =>
		telemetry.query<RepeatedCalls>(
			`SELECT agent, any(label) AS agent_label, tool, failure, count() AS calls
			FROM (
				SELECT source, toString(server_id) AS server, toString(tool_name) AS tool,
					if(agent_id != '', toString(agent_id), service_name) AS agent,
					if(agent_name != '', agent_name, service_name) AS label,
					${isFailed()} AS failed, error_type,
					attributes['gen_ai.tool.call.arguments'] AS arguments,
					arrayJoin(arrayConcat(
						if(failed, [(error_type, toUInt64(0))], []),
						if(arguments != '', [('', cityHash64(arguments))], [])) AS alike) AS likeness,
					likeness.1 AS failure
				FROM spans WHERE ${inRange} AND kind = 'tool_call'
			)
			WHERE agent != ''
			GROUP BY source, agent, server, tool, likeness, failure
			HAVING calls >= {least:UInt32}
			ORDER BY calls DESC, agent, tool, failure LIMIT 20`,
			{ workspace: workspaceId, start: startMs, end: endMs, least: atLeast },
		),
	)
}

const inRange = `workspace_id = {workspace:String}
	AND started_at >= fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND started_at < fromUnixTimestamp64Milli({end:Int64}, 'UTC')`
