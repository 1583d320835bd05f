import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { showDirections } from '../../lib/show-hidden.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty, InlineError } from '../../ui/states.tsx'
import { describeGrant } from '../access-grants/grant-choice.ts'
import { allAgentsQuery } from '../agents/queries.ts'
import { allServersQuery } from '../servers/queries.ts'
import { DaysSelect } from './days-select.tsx'
import { type ProposedPair, withoutPair } from './proposal.ts'
import { ProposalForm } from './proposal-form.tsx'
import { useSimulation } from './queries.ts'
import { SimulationResult } from './simulation-result.tsx'

/** Would this change break anything? Answered with the recorded calls. */
export function Simulator({ days, onDays }: { days: number; onDays(days: number): void }) {
	const [changes, setChanges] = useState<ProposedPair[]>([])
	const simulation = useSimulation()
	const propose = (next: ProposedPair[]) => {
		setChanges(next)
		simulation.reset()
	}
	return (
		<div className="grid items-start gap-4 xl:grid-cols-2">
			<Panel title="Propose a change">
				<ProposalForm changes={changes} onChange={propose} />
			</Panel>
			<Panel
				title="Proposal"
				actions={
					<DaysSelect
						days={days}
						onChange={(next) => {
							onDays(next)
							simulation.reset()
						}}
					/>
				}
			>
				{changes.length === 0 ? (
					<Empty icon="review" title="Nothing proposed yet">
						Choose an agent and a server, change what is granted, and see which recorded calls would be denied
						or allowed. Nothing is changed by it.
					</Empty>
				) : (
					<>
						<ProposalList changes={changes} onChange={propose} />
						<Button
							variant="primary"
							icon="play"
							className="mt-4"
							busy={simulation.isPending}
							onClick={() => simulation.mutate({ changes, days })}
						>
							Simulate
						</Button>
					</>
				)}
				{simulation.error && <InlineError error={simulation.error} />}
			</Panel>
			{simulation.data && (
				<Panel title="What would change" className="xl:col-span-2">
					<SimulationResult simulation={simulation.data} />
				</Panel>
			)}
		</div>
	)
}

interface ProposalListProps {
	changes: readonly ProposedPair[]
	onChange(changes: ProposedPair[]): void
}

function ProposalList({ changes, onChange }: ProposalListProps) {
	const { data: agents } = useQuery(allAgentsQuery)
	const { data: servers } = useQuery(allServersQuery)
	return (
		<ul aria-label="Proposed changes" className="grid gap-2">
			{changes.map((change) => {
				const agent = agents?.agents.find(({ uuid }) => uuid === change.agent_uuid)?.name
				const server = servers?.mcp_servers.find(({ id }) => id === change.server_id)?.name
				return (
					<li
						key={change.agent_uuid + change.server_id}
						className="flex items-center gap-2 rounded-lg border border-line py-1 pr-1 pl-3"
					>
						<span className="min-w-0 flex-1">
							<strong className="font-medium">{showDirections(agent ?? '')}</strong> on{' '}
							<strong className="font-medium">{showDirections(server ?? '')}</strong>:{' '}
							{describeChange(change)}
						</span>
						<IconButton
							icon="close"
							label={`Remove the proposed change: ${agent} on ${server}`}
							onClick={() => onChange(withoutPair(changes, change))}
						/>
					</li>
				)
			})}
		</ul>
	)
}

function describeChange(change: ProposedPair): string {
	if (change.op === 'delete') return 'access removed'
	const { access_mode, constraints, approval, expires_at, enabled } = change
	const limited = new Set([...Object.keys(constraints ?? {}), ...Object.keys(approval ?? {})]).size
	return [
		access_mode && describeGrant({ ...change, access_mode }),
		expires_at && 'with an end',
		limited > 0 && `${limited} limited`,
		enabled === false && 'switched off',
	]
		.filter(Boolean)
		.join(', ')
}
