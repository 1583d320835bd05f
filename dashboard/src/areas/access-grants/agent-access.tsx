import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCount } from '../../lib/format.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import type { Agent } from '../agents/queries.ts'
import { useCan } from '../identity/session.ts'
import { allServersQuery } from '../servers/queries.ts'
import { DecisionBadge } from './decision-badge.tsx'
import { GrantCard } from './grant-card.tsx'
import { GrantList } from './grant-list.tsx'
import { agentAccessQuery, type GrantOfAgent } from './queries.ts'

/** The grants of an agent; for each, what that grant alone allows tool by tool, with the reason. */
export function AgentAccess({ agent }: { agent: Agent }) {
	const canChange = useCan('access:write')
	const { data, error, refetch } = useQuery(agentAccessQuery(agent.uuid))
	const { data: servers } = useQuery(allServersQuery)
	if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
	if (!data) return <SkeletonRows />
	const byHand = data.access.filter(({ grant }) => grant.source.kind === 'manual')
	const granted = new Set(byHand.map(({ server }) => server.id))
	return (
		<GrantList
			label="Server"
			choices={(servers?.mcp_servers ?? []).filter(({ id }) => !granted.has(id))}
			ends={(serverId) => ({ serverId, agentId: agent.uuid })}
			empty={{
				icon: 'server',
				title: 'No access yet',
				text: `${agent.name} sees no tools until you grant it a server, or put it into a group that has a toolset.`,
				action:
					servers?.mcp_servers.length === 0 ? (
						<Link to="/servers" search={{ register: true }} className={buttonClass('primary')}>
							Register a server
						</Link>
					) : null,
			}}
		>
			{data.access.map((access) => (
				<AccessOfServer
					key={access.grant.id}
					access={access}
					agent={agent}
					disabled={!canChange}
					isOnly={data.access.length === 1}
				/>
			))}
		</GrantList>
	)
}

function AccessOfServer({
	access,
	agent,
	disabled,
	isOnly,
}: {
	access: GrantOfAgent
	agent: Agent
	disabled: boolean
	isOnly: boolean
}) {
	const { grant, server, tools } = access
	const open = tools.filter(({ allowed }) => allowed).length
	const isBlocked = grant.enabled && open === 0 && tools.length > 0
	return (
		<GrantCard
			serverId={server.id}
			agentId={agent.uuid}
			name={server.name}
			described={`${agent.name}’s access to ${server.name}`}
			heading={
				<Link
					to="/servers/$serverId"
					params={{ serverId: server.id }}
					className="text-accent hover:underline"
				>
					Go to server
				</Link>
			}
			beside={
				isBlocked ? (
					<Badge tone="warn">No tools allowed</Badge>
				) : (
					grant.enabled && (
						<span className="hidden text-xs text-ink-3 sm:inline">
							{formatCount(open)} of {formatCount(tools.length)} allowed
						</span>
					)
				)
			}
			grant={grant}
			tools={tools.map(({ name, allowed, text }) => ({
				name,
				note: <DecisionNote allowed={allowed} reason={text} />,
			}))}
			disabled={disabled}
			startOpen={isOnly}
		/>
	)
}

function DecisionNote({ allowed, reason }: { allowed: boolean; reason: string }) {
	return (
		<span className="flex shrink-0 items-center gap-2">
			<span className="hidden max-w-md truncate text-xs text-ink-3 md:inline" title={reason}>
				{reason}
			</span>
			<DecisionBadge allowed={allowed} />
		</span>
	)
}
