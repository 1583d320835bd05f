import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { serverNowMs } from '../../lib/clock.ts'
import { formatCount } from '../../lib/format.ts'
import { relativeMs } from '../../lib/time-range.ts'
import { actionLinkClass } from '../../ui/link.ts'
import { Ago } from '../../ui/time.tsx'
import { type Suggestion, suggestionsQuery } from '../access-review/queries.ts'
import { type Column, InsightPanel } from './insight-panel.tsx'
import type { Asked } from './queries.ts'
import { AgentLink, ServerLink } from './references.tsx'

const kinds: Record<Suggestion['kind'], string> = {
	unseen_agent: 'the agent was never seen',
	unused_grant: 'the grant was not used',
	all_to_used_tools: 'all tools, few are used',
	unused_tools: 'some tools were not used',
	unused_tools_of_toolset: 'some tools of the toolset were not used',
}

const columns: readonly Column<Suggestion>[] = [
	{
		label: 'Agent',
		long: true,
		cell: ({ agent }) => (agent ? <AgentLink agent={{ id: agent.uuid, name: agent.name }} /> : '–'),
	},
	{ label: 'Server', long: true, cell: ({ server }) => <ServerLink server={server} /> },
	{ label: 'Finding', cell: ({ kind }) => kinds[kind] },
	{ label: 'Calls', right: true, cell: ({ evidence }) => formatCount(evidence.calls) },
	{ label: 'Unused tools', right: true, cell: ({ evidence }) => formatCount(evidence.tools_unused.length) },
	{
		label: 'Last used',
		right: true,
		cell: ({ evidence: { last_used_at: last } }) => (last ? <Ago at={last} /> : 'never'),
	},
	{
		label: 'Change',
		cell: () => (
			<Link to="/access-review" className={actionLinkClass}>
				Review
			</Link>
		),
	},
]

const dayMs = 86_400_000

/** Which access is not needed? As in the access review, in whole days. */
export function GrantsInsight({ asked: { range, agent, server } }: { asked: Asked }) {
	const lengthMs = relativeMs(range.start) ?? serverNowMs() - Date.parse(range.start)
	const days = Math.min(90, Math.max(1, Math.ceil(lengthMs / dayMs)))
	const query = useQuery({
		...suggestionsQuery({ days, state: 'open', page: 1 }),
		select: ({ suggestions, pagination }) => ({
			rows: suggestions.filter(
				(one) => (!agent || one.agent?.uuid === agent) && (!server || one.server?.id === server),
			),
			total: pagination.total,
			truncated: false,
		}),
	})
	return (
		<InsightPanel
			label="Unused grants"
			text={`Access that the calls of the last ${days === 1 ? 'day' : `${days} days`} did not need. Access review removes it, and can restore it.`}
			query={query}
			columns={columns}
			keyOf={({ id }) => id}
			empty={{ title: 'No unused access', text: 'All access that was granted before this period was used.' }}
		/>
	)
}
