import type { GrantRow } from '../../grants/index.ts'
import type { Looked } from './suggest.ts'
import { type Suggestion, toEvidence, toSuggestion } from './suggestion.ts'

/** An agent that did nothing at all: its grants made by hand go. What it has by toolsets goes with its groups, by hand. */
export function suggestForAgent(
	{ review, held, days }: Looked,
	agentId: string,
	rows: readonly GrantRow[],
): Suggestion | null {
	const agent = review.agents.get(agentId)
	if (!agent) return null
	const given = [...rows.map(({ created_at }) => created_at), held.derivedSinceMs.get(agentId)]
	const givenMs = Math.min(...given.filter((at) => at !== undefined))
	const changedMs = rows.length === 0 ? null : Math.max(...rows.map(({ updated_at }) => updated_at))
	return toSuggestion(
		agentId,
		{
			kind: 'unseen_agent',
			agent: { uuid: agentId, name: agent.name },
			server: null,
			toolset: null,
			changes: rows.map(({ server_id }) => ({ op: 'delete', server_id, agent_uuid: agentId })),
			evidence: toEvidence(days, new Map(), [], { givenMs, changedMs }),
		},
		rows.map((before) => ({ before, after: null })),
	)
}
