import type { TimeRange } from '../../../platform/time-range.ts'
import type { ReviewContext } from '../review-context.ts'
import { listUse, type UseRow } from './suggestion-repository.ts'

export interface ToolUse {
	calls: number
	lastMs: number
}

/** What agents did in a time. */
export interface RecordedUse {
	/** Agents with any recorded operation, also a refused one. */
	seen: ReadonlySet<string>
	/** By agent and server, then by tool: calls that were not refused. */
	of(agentId: string, serverId: string): ReadonlyMap<string, ToolUse>
	/** Whether prompts, resources or completions were used, which single tools do not open. */
	usedBesideTools(agentId: string, serverId: string): boolean
}

const none: ReadonlyMap<string, ToolUse> = new Map()

export async function readUse(
	telemetry: ReviewContext['telemetry'],
	workspaceId: string,
	range: TimeRange,
): Promise<RecordedUse> {
	const rows = await listUse(telemetry, workspaceId, range)
	const byPair = new Map<string, Map<string, ToolUse>>()
	const beside = new Set<string>()
	for (const row of rows) {
		if (row.beside !== '0') beside.add(`${row.agent} ${row.server}`)
		if (row.calls !== '0') add(byPair, row)
	}
	return {
		seen: new Set(rows.map(({ agent }) => agent)),
		of: (agentId, serverId) => byPair.get(`${agentId} ${serverId}`) ?? none,
		usedBesideTools: (agentId, serverId) => beside.has(`${agentId} ${serverId}`),
	}
}

function add(
	byPair: Map<string, Map<string, ToolUse>>,
	{ agent, server, tool, calls, last_ms }: UseRow,
): void {
	const key = `${agent} ${server}`
	const tools = byPair.get(key) ?? new Map<string, ToolUse>()
	byPair.set(key, tools.set(tool, { calls: Number(calls), lastMs: Number(last_ms) }))
}
