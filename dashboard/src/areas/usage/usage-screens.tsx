import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { buttonClass } from '../../ui/button.tsx'
import { linkClass, parentLink } from '../../ui/link.ts'
import { Page } from '../../ui/page.tsx'
import { allServersQuery } from '../servers/queries.ts'
import type { CallFilter } from '../spotlight/breakdowns.ts'
import { linkToCalls } from '../spotlight/link-to-calls.ts'
import { versionField } from '../spotlight/queries.ts'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { UsageList } from './usage-list.tsx'
import { type TopList, UsagePanels } from './usage-panels.tsx'
import { rangeOf, type UsageSearch } from './usage-search.ts'

const sessionsRoute = getRouteApi('/_app/sessions/')
const usersRoute = getRouteApi('/_app/users')
const toolsRoute = getRouteApi('/_app/tools')
const modelsRoute = getRouteApi('/_app/models')

/** Which sessions took place, for whom, and what did they cost? */
export function SessionsScreen() {
	const search = sessionsRoute.useSearch()
	const navigate = sessionsRoute.useNavigate()
	return <UsageList by="sessions" search={search} onSearch={(next) => void navigate({ search: next })} />
}

/** Who uses agents, and what does one person do with them? */
export function UsersScreen() {
	const search = usersRoute.useSearch()
	const navigate = usersRoute.useNavigate()
	const onSearch = (next: UsageSearch) => void navigate({ search: next })
	if (!search.user) return <UsageList by="users" search={search} onSearch={onSearch} />
	return (
		<One
			title={search.user}
			above={
				<Link to="/users" {...parentLink}>
					Users
				</Link>
			}
			filter={{ user: search.user }}
			lists={[
				{ by: 'sessions', label: 'Sessions' },
				{ by: 'agents', label: 'Agents' },
				{ by: 'tools', label: 'Tools' },
				{ by: 'models', label: 'Models' },
				{ by: 'clients', label: 'Clients' },
			]}
			search={search}
			onSearch={onSearch}
		/>
	)
}

/** How does a tool perform, who calls it, and since which version? */
export function ToolsScreen() {
	const search = toolsRoute.useSearch()
	const navigate = toolsRoute.useNavigate()
	const onSearch = (next: UsageSearch) => void navigate({ search: next })
	const { data: servers } = useQuery({ ...allServersQuery, enabled: search.server !== undefined })
	if (!search.tool) return <UsageList by="tools" search={search} onSearch={onSearch} />
	const server = servers?.mcp_servers.find(({ id }) => id === search.server)
	return (
		<One
			title={search.tool}
			above={
				<Link to="/tools" {...parentLink}>
					Tools
				</Link>
			}
			description={
				server && (
					<Link to="/servers/$serverId" params={{ serverId: server.id }} className={linkClass}>
						{server.name}
					</Link>
				)
			}
			filter={{ tool: search.tool, ...(search.server && { server: search.server }) }}
			lists={[
				{ by: 'agents', label: 'Agents' },
				{ by: 'clients', label: 'Clients' },
				{ field: versionField, label: 'Server versions' },
				{ by: 'users', label: 'Users' },
				{ by: 'sessions', label: 'Sessions' },
			]}
			search={search}
			onSearch={onSearch}
		/>
	)
}

/** What does a model cost, how fast is it, and who calls it? */
export function ModelsScreen() {
	const search = modelsRoute.useSearch()
	const navigate = modelsRoute.useNavigate()
	const onSearch = (next: UsageSearch) => void navigate({ search: next })
	if (!search.model) return <UsageList by="models" search={search} onSearch={onSearch} />
	return (
		<One
			title={search.model}
			above={
				<Link to="/models" {...parentLink}>
					Models
				</Link>
			}
			description={search.provider}
			filter={{ model: search.model, ...(search.provider && { provider: search.provider }) }}
			lists={[
				{ by: 'agents', label: 'Agents' },
				{ field: 'connection', label: 'Connections' },
				{ by: 'users', label: 'Users' },
				{ by: 'clients', label: 'Clients' },
				{ by: 'sessions', label: 'Sessions' },
			]}
			search={search}
			onSearch={onSearch}
		/>
	)
}

interface OneProps {
	title: string
	above: ReactNode
	description?: ReactNode
	filter: CallFilter
	lists: readonly TopList[]
	search: UsageSearch
	onSearch(search: UsageSearch): void
}

function One({ title, above, description, search, onSearch, ...panels }: OneProps) {
	const range = rangeOf(search)
	const { start: _start, end: _end, ...rest } = search
	return (
		<Page
			title={title}
			above={above}
			description={description}
			actions={
				<>
					<Link to="/traces" search={linkToCalls(panels.filter, range)} className={buttonClass()}>
						View calls
					</Link>
					<RangePicker range={range} onChange={(next) => onSearch({ ...rest, ...next })} />
				</>
			}
		>
			<UsagePanels {...panels} search={search} onSearch={onSearch} hasRange />
		</Page>
	)
}
