import type { HeldGrants } from '../../grants/index.ts'
import type { ToolUse } from './recorded-use.ts'
import type { Looked } from './suggest.ts'
import { only } from './suggest-grant.ts'
import { type Suggestion, toEvidence, toSuggestion } from './suggestion.ts'

type Toolset = HeldGrants['toolsets'][number]

/** Tools of a toolset that no agent used which has grants by it; null: there are none, or it is too young to tell. */
export function suggestForToolset(looked: Looked, toolset: Toolset): Suggestion | null {
	if (toolset.updated_at >= looked.sinceMs) return null
	if (toolset.givenSinceMs === null || toolset.givenSinceMs >= looked.sinceMs) return null
	const used = new Map(
		toolset.tools.map((of) => [of.serverId, only(useBy(looked, toolset.id, of.serverId), of.tools)]),
	)
	const unused = toolset.tools.flatMap(({ serverId, tools }) =>
		tools.filter((tool) => !used.get(serverId)?.has(tool)),
	)
	if (unused.length === 0) return null
	const kept = toolset.tools.map(({ serverId, tools }) => ({
		server_id: serverId,
		tools: tools.filter((tool) => used.get(serverId)?.has(tool)),
	}))
	const times = { givenMs: toolset.created_at, changedMs: toolset.updated_at }
	return toSuggestion(
		toolset.id,
		{
			kind: 'unused_tools_of_toolset',
			agent: null,
			server: null,
			toolset: { id: toolset.id, name: toolset.name },
			changes: [{ toolset_id: toolset.id, tools: kept.filter(({ tools }) => tools.length > 0) }],
			evidence: toEvidence(looked.days, together([...used.values()]), unused, times),
		},
		[],
	)
}

/** What all agents with a grant by the toolset did on a server. */
function useBy({ use, agentsBy }: Looked, toolsetId: string, serverId: string): ReadonlyMap<string, ToolUse> {
	return together(agentsBy(toolsetId, serverId).map((agentId) => use.of(agentId, serverId)))
}

function together(uses: readonly ReadonlyMap<string, ToolUse>[]): ReadonlyMap<string, ToolUse> {
	const sum = new Map<string, ToolUse>()
	for (const [tool, { calls, lastMs }] of uses.flatMap((use) => [...use])) {
		const known = sum.get(tool)
		sum.set(tool, { calls: (known?.calls ?? 0) + calls, lastMs: Math.max(known?.lastMs ?? 0, lastMs) })
	}
	return sum
}
