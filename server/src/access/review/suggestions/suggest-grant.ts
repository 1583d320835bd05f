import type { GrantRow, HeldGrants } from '../../grants/index.ts'
import type { ReviewContext } from '../review-context.ts'
import {
	type GrantStep,
	type RecordedUse,
	type Suggestion,
	type SuggestionContent,
	type ToolUse,
	toEvidence,
	toSuggestion,
} from './suggestion.ts'

/** What a suggestion is made from. */
export interface Looked {
	review: Pick<ReviewContext, 'agents' | 'servers'>
	held: HeldGrants
	use: RecordedUse
	days: number
	/** What is younger is not accused. */
	sinceMs: number
	/** Agents with a grant on the server by the toolset. */
	agentsBy(toolsetId: string, serverId: string): readonly string[]
}

/** What the use of a grant made by hand suggests; null: nothing. */
export function suggestForGrant(looked: Looked, row: GrantRow): Suggestion | null {
	const { review, use, days } = looked
	const [agent, server] = [review.agents.get(row.agent_id), review.servers.get(row.server_id)]
	if (!agent || !server) return null
	const granted =
		row.allowed_tools === null
			? server.tools.map(({ name }) => name)
			: (JSON.parse(row.allowed_tools) as string[])
	const called = use.of(agent.id, server.id)
	const used = row.allowed_tools === null ? called : only(called, granted)
	const unused = granted.filter((tool) => !used.has(tool))
	const change = changeOf(row, used, unused, use.usedBesideTools(agent.id, server.id))
	if (!change) return null
	const pair = { server_id: server.id, agent_uuid: agent.id }
	const content: SuggestionContent = {
		kind: change.kind,
		agent: { uuid: agent.id, name: agent.name },
		server: { id: server.id, name: server.name },
		toolset: null,
		changes: [
			change.tools
				? { op: 'update', ...pair, access_mode: 'selected', allowed_tools: change.tools }
				: { op: 'delete', ...pair },
		],
		evidence: toEvidence(days, used, unused, { givenMs: row.created_at, changedMs: row.updated_at }),
	}
	return toSuggestion(row.id, content, [{ before: row, after: afterOf(change.tools) }])
}

interface Change {
	kind: 'unused_grant' | 'all_to_used_tools' | 'unused_tools'
	/** Those that stay; null: the grant goes. */
	tools: string[] | null
}

function changeOf(
	row: GrantRow,
	used: ReadonlyMap<string, ToolUse>,
	unused: readonly string[],
	besideTools: boolean,
): Change | null {
	if (row.allowed_tools === null && besideTools) return null
	if (used.size === 0) return { kind: 'unused_grant', tools: null }
	if (unused.length === 0) return null
	if (row.allowed_tools === null) return { kind: 'all_to_used_tools', tools: [...used.keys()].sort() }
	const kept = (JSON.parse(row.allowed_tools) as string[]).filter((tool) => used.has(tool))
	return { kind: 'unused_tools', tools: kept }
}

function afterOf(tools: string[] | null): GrantStep['after'] {
	return tools && { access_mode: 'selected', allowed_tools: JSON.stringify(tools) }
}

export function only(
	used: ReadonlyMap<string, ToolUse>,
	tools: readonly string[],
): ReadonlyMap<string, ToolUse> {
	const wanted = new Set(tools)
	return new Map([...used].filter(([tool]) => wanted.has(tool)))
}
