import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { parentLink } from '../../ui/link.ts'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Ago } from '../../ui/time.tsx'
import { AgentAccess } from '../access-grants/agent-access.tsx'
import { EffectiveAccess } from '../access-grants/effective-access.tsx'
import { AgentCalls } from '../telemetry/agent-calls.tsx'
import { type TopList, UsagePanels } from '../usage/usage-panels.tsx'
import { AgentInstall } from './agent-install.tsx'
import { AgentKeys } from './agent-keys.tsx'
import { AgentSettings } from './agent-settings.tsx'
import { GroupLinks } from './group-links.tsx'
import { type Agent, agentKeysQuery, agentQuery } from './queries.ts'
import { StatusActions } from './status-actions.tsx'

const route = getRouteApi('/_app/agents/$agentId')

/** What may this agent do, with which keys, and what does it do? */
export function AgentScreen() {
	const { agentId } = route.useParams()
	const { data: agent, error, refetch } = useQuery(agentQuery(agentId))
	if (agent) return <LoadedAgent agent={agent} />
	return (
		<Page title="Agent">
			{error ? <ErrorState error={error} retry={() => void refetch()} /> : <SkeletonRows rows={8} />}
		</Page>
	)
}

const usageLists: readonly TopList[] = [
	{ by: 'tools', label: 'Tools' },
	{ by: 'models', label: 'Models' },
	{ by: 'servers', label: 'Servers' },
	{ by: 'users', label: 'Users' },
	{ by: 'sessions', label: 'Sessions' },
	{ by: 'clients', label: 'Clients' },
]

function LoadedAgent({ agent }: { agent: Agent }) {
	const { tab = 'access', ...search } = route.useSearch()
	const navigate = route.useNavigate()
	const { data: keys } = useQuery(agentKeysQuery(agent.uuid))
	return (
		<Page
			title={agent.name}
			above={
				<Link to="/agents" {...parentLink}>
					Agents
				</Link>
			}
			beside={<StatusBadge status={agent.status} />}
			description={
				<span className="flex flex-wrap items-center gap-x-3">
					{agent.description && <span>{agent.description}</span>}
					<span>
						{agent.last_seen_at ? (
							<>
								last used <Ago at={agent.last_seen_at} />
							</>
						) : (
							'Never used'
						)}
					</span>
					<CopyText text={agent.uuid} />
					{agent.groups.length > 0 && <GroupLinks groups={agent.groups} />}
				</span>
			}
			actions={
				<>
					<Link to="/tool-insights" search={{ agent: agent.uuid }} className={buttonClass()}>
						Tool insights
					</Link>
					<StatusActions agent={agent} />
				</>
			}
		>
			<Tabs
				label="About this agent"
				value={tab}
				onChange={(next) => void navigate({ search: next === 'access' ? {} : { tab: next }, replace: true })}
				tabs={[
					{
						value: 'access',
						label: 'Access',
						count: agent.mcp_server_count,
						content: <AgentAccess agent={agent} />,
					},
					{
						value: 'usage',
						label: 'Usage',
						content: (
							<UsagePanels
								filter={{ agent: agent.uuid }}
								lists={usageLists}
								search={search}
								onSearch={(next) => void navigate({ search: { ...next, tab: 'usage' } })}
							/>
						),
					},
					{ value: 'tools', label: 'Effective access', content: <EffectiveAccess agent={agent} /> },
					{ value: 'connect', label: 'Connect', content: <AgentInstall agent={agent} /> },
					{
						value: 'keys',
						label: 'Keys',
						count: keys?.keys.filter(({ status }) => status === 'active').length,
						content: <AgentKeys agent={agent} />,
					},
					{ value: 'calls', label: 'Calls', content: <AgentCalls agentId={agent.uuid} /> },
					{ value: 'settings', label: 'Settings', content: <AgentSettings key={agent.uuid} agent={agent} /> },
				]}
			/>
		</Page>
	)
}
