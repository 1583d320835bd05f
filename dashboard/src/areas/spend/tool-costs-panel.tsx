import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCompact } from '../../lib/format.ts'
import type { TimeRange } from '../../lib/time-range.ts'
import { Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { shownCost } from '../spotlight/figures.tsx'
import { type ToolCost, toolCostsQuery } from './queries.ts'

const lines = [
	{ value: 'tool', label: 'Tool' },
	{ value: 'server', label: 'Server' },
	{ value: 'agent', label: 'Agent' },
] as const
type By = (typeof lines)[number]['value']

/** The overhead of tools: their definitions in every request, and the results that later requests repeat. */
export function ToolCostsPanel({ range }: { range: TimeRange }) {
	const [by, setBy] = useState<By>('tool')
	const { data, error, refetch } = useQuery(toolCostsQuery(range, by))
	return (
		<Panel
			title="Tool definition overhead"
			actions={<Segmented<By> label="Group by" value={by} onChange={setBy} options={lines} />}
			flush
		>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows />
			) : data.tool_costs.length === 0 ? (
				<p className="p-4 text-ink-3">No model call in this period carried a tool.</p>
			) : (
				<Table label={`Tools in prompts by ${by}`}>
					<thead>
						<tr>
							<Th>{lines.find(({ value }) => value === by)?.label}</Th>
							<Th right>Uses</Th>
							<Th right>Definitions</Th>
							<Th right>Results</Th>
							<Th right>Cost</Th>
						</tr>
					</thead>
					<tbody>
						{data.tool_costs.map((cost) => (
							<Row key={`${cost.server} ${cost.tool} ${cost.agent?.id}`}>
								<Td className="max-w-56 truncate font-medium">{nameOf(cost)}</Td>
								<Td right className={cost.uses === 0 ? 'text-warn' : ''}>
									{cost.uses === 0 ? 'never' : formatCompact(cost.uses)}
								</Td>
								<Td right>{formatCompact(cost.definitions.tokens)}</Td>
								<Td right>{formatCompact(cost.results.tokens)}</Td>
								<Td right>
									{shownCost({ ...cost, unpriced_calls: cost.tokens > 0 ? data.unpriced_requests : 0 })}
								</Td>
							</Row>
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	)
}

function nameOf({ server, tool, agent }: ToolCost): string {
	if (agent) return agent.name ?? agent.id ?? 'No agent'
	if (tool === null) return server ?? 'Tools of no server'
	return server ? `${server} · ${tool}` : tool
}
