import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { baseUrl } from '../../lib/base-url.ts'
import { formatMs } from '../../lib/format.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { CopyText } from '../../ui/copy.tsx'
import { parentLink } from '../../ui/link.ts'
import { Facts, Page, Panel } from '../../ui/page.tsx'
import { ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Ago } from '../../ui/time.tsx'
import { ServerAccess } from '../access-grants/server-access.tsx'
import { ProgramLog } from '../programs/program-log.tsx'
import { ProgramTab } from '../programs/program-tab.tsx'
import { versionField } from '../spotlight/queries.ts'
import { DefinitionsLink } from '../tool-definitions/definitions-link.tsx'
import { CredentialsTab } from '../upstream-credentials/credentials-tab.tsx'
import { type TopList, UsagePanels } from '../usage/usage-panels.tsx'
import { HealthHistory } from './health-history.tsx'
import { Playground } from './playground.tsx'
import { checkHealth, refreshServers, type Server, serverQuery, toolsQuery } from './queries.ts'
import { ServerSettings } from './server-settings.tsx'
import { ToolList } from './tool-list.tsx'
import { transportNames } from './transport-names.ts'

const route = getRouteApi('/_app/servers/$serverId')

/** Does it work, what does it offer, and who may use it? */
export function ServerScreen() {
	const { serverId } = route.useParams()
	const { data: server, error, refetch } = useQuery(serverQuery(serverId))
	if (error && !server) {
		return (
			<Page title="MCP server">
				<ErrorState error={error} retry={() => void refetch()} />
			</Page>
		)
	}
	if (!server) {
		return (
			<Page title="MCP server">
				<SkeletonRows rows={8} />
			</Page>
		)
	}
	return <LoadedServer server={server} />
}

const usageLists: readonly TopList[] = [
	{ by: 'tools', label: 'Tools' },
	{ field: versionField, label: 'Versions' },
	{ by: 'agents', label: 'Agents' },
	{ by: 'clients', label: 'Clients' },
	{ by: 'resources', label: 'Resources' },
	{ by: 'prompts', label: 'Prompts' },
]

function LoadedServer({ server }: { server: Server }) {
	const { tab = 'tools', ...search } = route.useSearch()
	const navigate = route.useNavigate()
	const { data: tools } = useQuery(toolsQuery(server.id))
	return (
		<Page
			title={server.name}
			above={
				<Link to="/servers" {...parentLink}>
					MCP servers
				</Link>
			}
			beside={<StatusBadge status={server.status === 'active' ? server.health_status : server.status} />}
			description={server.description}
			actions={
				<>
					<Link to="/tool-insights" search={{ server: server.id }} className={buttonClass()}>
						Tool insights
					</Link>
					<DefinitionsLink serverId={server.id} />
				</>
			}
		>
			<div
				className={cn(
					'grid grid-cols-[minmax(0,1fr)] items-start gap-4',
					tab !== 'usage' && 'lg:grid-cols-[minmax(0,1fr)_320px]',
				)}
			>
				<div className="order-2 min-w-0 lg:order-1">
					<Tabs
						label="About this server"
						value={tab}
						onChange={(next) =>
							void navigate({ search: next === 'tools' ? {} : { tab: next }, replace: true })
						}
						tabs={[
							{
								value: 'tools',
								label: 'Tools',
								count: tools?.tools.length,
								content: <ToolList serverId={server.id} />,
							},
							{
								value: 'usage',
								label: 'Usage',
								content: (
									<UsagePanels
										filter={{ server: server.id }}
										lists={usageLists}
										search={search}
										onSearch={(next) => void navigate({ search: { ...next, tab: 'usage' } })}
									/>
								),
							},
							{ value: 'playground', label: 'Playground', content: <Playground server={server} /> },
							{
								value: 'access',
								label: 'Access',
								count: server.agent_access.length,
								content: <ServerAccess server={server} />,
							},
							...(server.command === null
								? [
										{
											value: 'credentials' as const,
											label: 'Credentials',
											content: <CredentialsTab server={server} />,
										},
									]
								: [
										{ value: 'program' as const, label: 'Program', content: <ProgramTab server={server} /> },
										{ value: 'log' as const, label: 'Log', content: <ProgramLog serverId={server.id} /> },
									]),
							{ value: 'health', label: 'Health', content: <HealthHistory serverId={server.id} /> },
							{
								value: 'settings',
								label: 'Settings',
								content: <ServerSettings key={server.id} server={server} />,
							},
						]}
					/>
				</div>
				{tab !== 'usage' && <HealthPanel server={server} />}
			</div>
		</Page>
	)
}

function HealthPanel({ server }: { server: Server }) {
	const queries = useQueryClient()
	const check = useMutation({
		mutationFn: () => checkHealth(server.id),
		onSuccess: () => refreshServers(queries),
	})
	const found = check.data
	const reason = found ? found.error : server.health_error
	return (
		<Panel
			title="Health"
			className="order-1 lg:order-2"
			actions={
				<Button small icon="refresh" busy={check.isPending} onClick={() => check.mutate()}>
					Check now
				</Button>
			}
		>
			<Facts
				facts={[
					['State', <StatusBadge key="state" status={found?.status ?? server.health_status} />],
					['Checked', <Ago key="checked" at={found?.last_checked ?? server.last_health_check} />],
					...(found
						? ([
								['Latency', formatMs(found.latency_ms)],
								['Protocol', found.protocol_version ?? '–'],
							] as const)
						: []),
					...(reason
						? [
								[
									'Reason',
									<span key="reason" className="text-bad">
										{reason}
									</span>,
								] as const,
							]
						: []),
					...(server.tools_pending ? [['Tools', server.tools_pending] as const] : []),
					server.command === null
						? ['Address', <CopyText key="address" text={server.endpoint_url} />]
						: ['Command', <CopyText key="command" text={[server.command, ...server.args].join(' ')} />],
					['Transport', transportNames[server.transport_type]],
					['Gateway URL', <CopyText key="ours" text={`${baseUrl}/mcp/${server.slug}`} />],
				]}
			/>
			{check.error && <InlineError error={check.error} />}
		</Panel>
	)
}
