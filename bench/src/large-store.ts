import type { ControlStore } from '../../server/src/platform/database/database.ts'
import type { ControlSchema } from '../../server/src/platform/database/schema.ts'
import { newId } from '../../server/src/platform/ids.ts'

export interface LargeStore {
	serverIds: string[]
	/** The server on which every agent has a grant. */
	crowdedId: string
}

export const serverCount = 10_000
export const agentCount = 10_000
export const grantCount = 100_000
const rowsPerStatement = 500

/**
 * Writes a company's servers, agents and grants into a workspace, in statements of 500 rows. One server has a grant for every agent,
 * the others nine each. The servers are inactive, because background checks of 10,000 addresses are a separate measurement.
 */
export async function fillStore({ db }: ControlStore, workspaceId: string): Promise<LargeStore> {
	const nowMs = Date.now()
	const serverIds = idsOf(serverCount, nowMs - 3_600_000)
	const agentIds = idsOf(agentCount, nowMs - 1_800_000)
	const crowdedId = serverIds[0] as string
	const insert = async <T extends 'mcp_servers' | 'agents' | 'access_grants'>(
		table: T,
		rows: readonly ControlSchema[T][],
	) => {
		for (let from = 0; from < rows.length; from += rowsPerStatement)
			await db
				.insertInto(table)
				.values(rows.slice(from, from + rowsPerStatement) as never)
				.execute()
	}
	await insert(
		'mcp_servers',
		serverIds.map((id, index) => serverRow(workspaceId, id, index, nowMs)),
	)
	await insert(
		'agents',
		agentIds.map((id, index) => agentRow(workspaceId, id, index, nowMs)),
	)
	const others = serverIds.slice(1)
	const pairs = agentIds.flatMap((agentId, index) => [
		[crowdedId, agentId] as const,
		...Array.from({ length: grantCount / agentCount - 1 }, (_, nth) => {
			return [others[(index * 9 + nth) % others.length] as string, agentId] as const
		}),
	])
	await insert(
		'access_grants',
		pairs.map(([serverId, agentId], index) => grantRow(workspaceId, serverId, agentId, nowMs - index)),
	)
	return { serverIds, crowdedId }
}

/** Ids as if they were created one per millisecond. */
function idsOf(count: number, fromMs: number): string[] {
	return Array.from({ length: count }, (_, index) => newId(fromMs + index))
}

function serverRow(workspace_id: string, id: string, index: number, nowMs: number) {
	return {
		id,
		workspace_id,
		name: `Server ${index}`,
		slug: `server-${index}`,
		description: 'Tickets of the support desk',
		endpoint_url: `https://mcp-${index}.example.com/mcp`,
		transport_type: 'http',
		hosting_mode: 'remote',
		status: 'inactive',
		health_status: 'healthy',
		failures: 0,
		last_health_check: nowMs,
		last_latency_ms: 12,
		last_error: null,
		protocol_version: null,
		command: '',
		args: '[]',
		sealed_env: null,
		allowed_hosts: '[]',
		package: null,
		unsandboxed: null,
		restarted_at: null,
		configuration: '{}',
		call_limits: null,
		...{ introduction: null, max_result_bytes: null, tool_prefix: null, tool_aliases: null },
		sealed_headers: null,
		tools_refreshed_at: null,
		definition_policy: 'keep-approved',
		created_at: nowMs - index,
		updated_at: nowMs - index,
	}
}

function agentRow(workspace_id: string, id: string, index: number, nowMs: number) {
	return {
		id,
		workspace_id,
		name: `Agent ${index}`,
		description: 'Answers customers',
		status: 'active',
		last_seen_at: null,
		model_access: '{"mode":"all"}',
		call_limits: null,
		tool_face: null,
		created_at: nowMs - index,
		updated_at: nowMs - index,
	}
}

function grantRow(workspace_id: string, server_id: string, agent_id: string, atMs: number) {
	return {
		id: newId(atMs),
		workspace_id,
		server_id,
		agent_id,
		source: 'manual',
		access_mode: 'selected',
		allowed_tools: '["search","read_ticket","add_comment"]',
		allowed_prompts: null,
		allowed_resources: null,
		enabled: 1,
		expires_at: null,
		constraints: null,
		approval: null,
		approver: null,
		approval_wait_ms: null,
		denied_hints: null,
		call_limits: null,
		created_at: atMs,
		updated_at: atMs,
	}
}
