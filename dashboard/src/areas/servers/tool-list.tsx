import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { formatCounted } from '../../lib/format.ts'
import { showHidden } from '../../lib/show-hidden.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { DisclosureEntry } from '../../ui/disclosure.tsx'
import { SearchInput } from '../../ui/field.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { actionLinkClass } from '../../ui/link.ts'
import { Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { PinBadge } from '../tool-definitions/pin-state.tsx'
import { refreshServers, type Tool, toolsQuery } from './queries.ts'

/** The tools of the server, with their schemas. */
export function ToolList({ serverId }: { serverId: string }) {
	const [wanted, setWanted] = useState('')
	const { data, error, refetch } = useQuery(toolsQuery(serverId))
	const tools = data?.tools.filter(({ name, description }) =>
		`${name} ${description}`.toLowerCase().includes(wanted.toLowerCase()),
	)
	return (
		<Panel
			title={
				<SearchInput
					label="Find a tool"
					value={wanted}
					onChange={(event) => setWanted(event.target.value)}
					className="font-normal"
				/>
			}
			actions={<RefreshTools serverId={serverId} refreshedAt={data?.refreshed_at ?? null} />}
			flush
		>
			{data?.pending && <p className="border-b border-line px-4 py-2 text-ink-2">{data.pending}</p>}
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !tools ? (
				<SkeletonRows />
			) : tools.length === 0 ? (
				<Empty icon="tool" title={wanted ? 'No tool matches' : 'The server offers no tools'}>
					{wanted
						? 'Try a shorter part of the name.'
						: 'Or it could not be asked yet: check its health, then ask again.'}
				</Empty>
			) : (
				<ul>
					{tools.map((tool) => (
						<ToolRow key={tool.name} tool={tool} serverId={serverId} />
					))}
				</ul>
			)}
		</Panel>
	)
}

function ToolRow({ tool, serverId }: { tool: Tool; serverId: string }) {
	return (
		<DisclosureEntry
			line={
				<span className="min-w-0 flex-1">
					<span className="flex flex-wrap items-center gap-2">
						<span className="font-mono text-[12.5px] font-medium break-all">{showHidden(tool.name)}</span>
						<ToolHints annotations={tool.annotations} />
						{tool.pin !== 'open' && <PinBadge state={tool.pin} />}
					</span>
					<span className="line-clamp-2 wrap-anywhere text-ink-2 group-open:line-clamp-none">
						{showHidden(tool.description ?? '')}
					</span>
				</span>
			}
		>
			<Schema title="Arguments" schema={tool.input_schema} />
			{tool.output_schema ? <Schema title="Result" schema={tool.output_schema} /> : null}
			<div className="flex flex-wrap items-center justify-between gap-2">
				<p className="flex flex-wrap items-center gap-x-2 text-xs text-ink-3">
					<Link
						to="/servers/$serverId/definitions"
						params={{ serverId }}
						search={{ tool: tool.name }}
						className={actionLinkClass}
					>
						Definition
					</Link>
					<CopyText text={tool.hash} short={tool.hash.slice(0, 12)} />
					{tool.definition_tokens !== null && formatCounted(tool.definition_tokens, 'token')}
				</p>
				<Link
					to="/servers/$serverId"
					params={{ serverId }}
					search={{ tab: 'playground', tool: tool.name }}
					className={buttonClass('secondary', true)}
				>
					Try it
				</Link>
			</div>
		</DisclosureEntry>
	)
}

function Schema({ title, schema }: { title: string; schema: unknown }) {
	return (
		<section>
			<h3 className="mb-1 text-xs font-medium text-ink-3">{title}</h3>
			<JsonView value={schema} label={`${title} schema`} />
		</section>
	)
}

/** The server's annotations of a tool, which are claims and not guarantees. */
function ToolHints({ annotations }: { annotations: unknown }) {
	const { readOnlyHint, destructiveHint } = (annotations ?? {}) as {
		readOnlyHint?: boolean
		destructiveHint?: boolean
	}
	if (readOnlyHint)
		return (
			<Badge tone="idle" icon={null}>
				read only
			</Badge>
		)
	if (destructiveHint) return <Badge tone="warn">destructive</Badge>
	return null
}

function RefreshTools({ serverId, refreshedAt }: { serverId: string; refreshedAt: string | null }) {
	const queries = useQueryClient()
	const canRefresh = useCan('servers:refresh')
	const refresh = useMutation({
		mutationFn: () =>
			unwrap(api.POST('/v1/mcp/servers/{id}/tools/refresh', { params: { path: { id: serverId } } })),
		onSuccess: ({ tools }) => {
			toast(`The server offers ${formatCounted(tools.length, 'tool')}`)
			return refreshServers(queries)
		},
	})
	return (
		<>
			<span className="hidden text-xs text-ink-3 sm:inline">
				Refreshed <Ago at={refreshedAt} />
			</span>
			<Button
				small
				icon="refresh"
				disabled={!canRefresh}
				busy={refresh.isPending}
				onClick={() => refresh.mutate()}
			>
				Refresh
			</Button>
			{refresh.error && <InlineError error={refresh.error} />}
		</>
	)
}
