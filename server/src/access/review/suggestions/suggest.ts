import type { HeldGrants } from '../../grants/index.ts'
import type { ReviewContext } from '../context.ts'
import { inTurns } from '../in-turns.ts'
import { type RecordedUse, readUse } from './recorded-use.ts'
import { suggestForAgent } from './suggest-agent.ts'
import { suggestForGrant } from './suggest-grant.ts'
import { suggestForToolset } from './suggest-toolset.ts'
import type { Suggestion } from './suggestion.ts'

const dayMs = 86_400_000

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

/** Everything that the use of the last days suggests, most sweeping first, always in the same order. */
export async function suggest(
	review: ReviewContext,
	workspaceId: string,
	askedDays: number,
): Promise<Suggestion[]> {
	const days = Math.min(askedDays, review.retentionDays)
	const nowMs = review.clock.nowMs()
	const sinceMs = nowMs - days * dayMs
	const held = await review.grants.held(workspaceId)
	const use = await readUse(review.telemetry, workspaceId, { startMs: sinceMs, endMs: nowMs })
	const agentsBy = (toolsetId: string, serverId: string) =>
		review.grants.view
			.ofToolset(toolsetId)
			.filter((grant) => grant.serverId === serverId)
			.map(({ agentId }) => agentId)
	const looked: Looked = { review, held, use, days, sinceMs, agentsBy }
	const grants = held.manual.filter(
		({ enabled, expires_at, updated_at }) =>
			enabled === 1 && (expires_at === null || expires_at > nowMs) && updated_at < sinceMs,
	)
	const ofUnseen = Map.groupBy(
		grants.filter(({ agent_id }) => !use.seen.has(agent_id)),
		({ agent_id }) => agent_id,
	)
	const unseen = [...held.derivedSinceMs].filter(([id, at]) => at < sinceMs && !use.seen.has(id))
	const idle = [...new Set([...ofUnseen.keys(), ...unseen.map(([id]) => id)])]
	const found: (Suggestion | null)[] = []
	for await (const id of inTurns(idle)) found.push(suggestForAgent(looked, id, ofUnseen.get(id) ?? []))
	for await (const row of inTurns(grants))
		if (!ofUnseen.has(row.agent_id)) found.push(suggestForGrant(looked, row))
	for await (const toolset of inTurns(held.toolsets)) found.push(suggestForToolset(looked, toolset))
	return found.filter((each) => each !== null).sort(bySweep)
}

const order = ['unseen_agent', 'unused_grant', 'all_to_used_tools', 'unused_tools', 'unused_tools_of_toolset']

function bySweep({ document: a }: Suggestion, { document: b }: Suggestion): number {
	return order.indexOf(a.kind) - order.indexOf(b.kind) || (a.id < b.id ? -1 : 1)
}
