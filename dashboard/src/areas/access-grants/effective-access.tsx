import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api.ts'
import { formatCount } from '../../lib/format.ts'
import { showDirections } from '../../lib/show-hidden.ts'
import { SearchInput } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import type { Agent } from '../agents/queries.ts'
import { DecisionBadge } from './decision-badge.tsx'
import { GrantSource } from './grant-source.tsx'
import { agentAccessQuery } from './queries.ts'

type EffectiveTool = Schemas['EffectiveTool']

type Kind = 'all' | 'allowed' | 'denied'

const kinds = [
	{ value: 'all', label: 'All' },
	{ value: 'allowed', label: 'Allowed' },
	{ value: 'denied', label: 'Denied' },
] as const satisfies readonly { value: Kind; label: string }[]

/** What all grants allow together: each tool with the decision, the reason, and the grant that allows it. */
export function EffectiveAccess({ agent }: { agent: Agent }) {
	const [wanted, setWanted] = useState('')
	const [kind, setKind] = useState<Kind>('all')
	const { data, error, refetch } = useQuery(agentAccessQuery(agent.uuid))
	if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
	if (!data) return <SkeletonRows />
	if (data.effective.length === 0)
		return (
			<Panel>
				<Empty icon="tool" title="It cannot call anything">
					{agent.name} has no grant, neither a direct one nor one by a toolset of its groups.
				</Empty>
			</Panel>
		)
	const matches = ({ name, allowed }: EffectiveTool) =>
		name.toLowerCase().includes(wanted.toLowerCase()) && (kind === 'all' || allowed === (kind === 'allowed'))
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-3">
			<div className="flex flex-wrap items-center gap-2">
				<SearchInput label="Find a tool" value={wanted} onChange={(event) => setWanted(event.target.value)} />
				<Segmented<Kind> label="Decision" value={kind} options={kinds} onChange={setKind} />
			</div>
			{data.effective.map(({ server, tools }) => (
				<Panel
					key={server.id}
					title={
						<Link to="/servers/$serverId" params={{ serverId: server.id }} className="hover:underline">
							{showDirections(server.name)}
						</Link>
					}
					actions={
						<span className="text-xs text-ink-3">
							{formatCount(tools.filter(({ allowed }) => allowed).length)} of {formatCount(tools.length)}{' '}
							allowed
						</span>
					}
					flush
				>
					<ToolTable label={`Tools of ${server.name}`} tools={tools.filter(matches)} />
				</Panel>
			))}
		</div>
	)
}

function ToolTable({ label, tools }: { label: string; tools: readonly EffectiveTool[] }) {
	if (tools.length === 0) return <p className="px-4 py-3 text-ink-3">No tool matches.</p>
	return (
		<Table label={label}>
			<thead>
				<tr>
					<Th className="w-1/4">Tool</Th>
					<Th className="w-28">Decision</Th>
					<Th>Why</Th>
					<Th className="w-1/5">Source</Th>
				</tr>
			</thead>
			<tbody>
				{tools.map((tool) => (
					<Row key={tool.name}>
						<Td className="max-w-72 min-w-44 font-mono text-xs break-words">{showDirections(tool.name)}</Td>
						<Td>
							<DecisionBadge allowed={tool.allowed} />
						</Td>
						<Td className="min-w-56 text-ink-2">{tool.text}</Td>
						<Td className="whitespace-nowrap">
							<Sources via={tool.via} />
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}

/** The grants that allow a tool: those made by hand, and those from toolsets, which are linked. */
function Sources({ via }: { via: EffectiveTool['via'] }) {
	if (via.length === 0) return <span className="text-ink-3">–</span>
	return (
		<ul>
			{via.map(({ grant_id, source }) => (
				<li key={grant_id}>
					<GrantSource source={source} />
				</li>
			))}
		</ul>
	)
}
