import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useKeys } from '../../lib/use-keys.ts'
import { cn } from '../../ui/cn.ts'
import { parentLink } from '../../ui/link.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { serverQuery } from '../servers/queries.ts'
import { DefinitionReview } from './definition-review.tsx'
import { PolicyPanel } from './policy-panel.tsx'
import { type DefinitionList, definitionsQuery, type PinnedTool } from './queries.ts'
import { ToolChoice } from './tool-choice.tsx'

const route = getRouteApi('/_app/servers/$serverId_/definitions')

/** What do agents read about the tools of a server, what changed, and should they get it? */
export function DefinitionsScreen() {
	const { serverId } = route.useParams()
	const { data: server } = useQuery(serverQuery(serverId))
	const { data, error, refetch, isFetchedAfterMount } = useQuery(definitionsQuery(serverId))
	return (
		<Page
			title="Tool definitions"
			above={
				<span className="flex flex-wrap gap-x-1.5">
					<Link to="/servers" {...parentLink}>
						MCP servers
					</Link>
					/
					<Link to="/servers/$serverId" params={{ serverId }} {...parentLink}>
						{server?.name ?? 'server'}
					</Link>
				</span>
			}
			description="Agents choose tools by their definitions. Changes are compared with the approved version."
		>
			<RoleHint needs="servers:write" what="approve definitions" />
			{data ? (
				<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
					{/* Cached definitions from before have not been shown yet, so the first answer replaces them without an announcement. */}
					<Tools key={String(isFetchedAfterMount)} serverId={serverId} list={data} />
					<PolicyPanel key={data.definition_policy} serverId={serverId} policy={data.definition_policy} />
				</div>
			) : error ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : (
				<SkeletonRows rows={8} />
			)}
		</Page>
	)
}

function Tools({ serverId, list }: { serverId: string; list: DefinitionList }) {
	const { tool: wanted, from, to } = route.useSearch()
	const navigate = route.useNavigate()
	const tools = waitingFirst(list.definitions)
	const chosen = wanted === undefined ? tools[0] : tools.find(({ name }) => name === wanted)
	const move = (step: 1 | -1) => {
		const next = tools[tools.findIndex(({ name }) => name === chosen?.name) + step]
		if (next) void navigate({ search: { tool: next.name }, replace: true })
	}
	useKeys({ j: () => move(1), k: () => move(-1) })
	if (tools.length === 0)
		return (
			<Panel>
				<Empty icon="tool" title="The server has not listed any tools yet">
					Check its health, then have it asked again.
				</Empty>
			</Panel>
		)
	return (
		<div className="grid items-start gap-4 lg:grid-cols-[320px_minmax(0,1fr)]">
			<div className={cn('min-w-0 lg:sticky lg:top-4 lg:block', wanted !== undefined && 'hidden')}>
				<ToolChoice tools={tools} tokens={list.definition_tokens} chosen={chosen?.name} />
			</div>
			<div className={cn('min-w-0 lg:block', wanted === undefined && 'hidden')}>
				<Link
					from="/servers/$serverId/definitions"
					to="."
					search={{}}
					className="mb-2 inline-flex min-h-6 items-center text-accent hover:underline lg:hidden"
				>
					All tools
				</Link>
				{chosen ? (
					<DefinitionReview
						key={chosen.name}
						serverId={serverId}
						tool={chosen}
						compared={{ from, to }}
						onCompare={(next) => void navigate({ search: { tool: chosen.name, ...next }, replace: true })}
					/>
				) : (
					<Panel>
						<Empty icon="search" title="The server has no tool with this name">
							{wanted} is not there, and was not seen before.
						</Empty>
					</Panel>
				)}
			</div>
		</div>
	)
}

function waitingFirst(tools: readonly PinnedTool[]): readonly PinnedTool[] {
	const rank = ({ pending, state }: PinnedTool) => (pending ? 0 : state === 'open' ? 2 : 1)
	return tools.toSorted((a, b) => rank(a) - rank(b))
}
