import { useQueries, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { formatCounted, formatDateTime } from '../../lib/format.ts'
import { buttonClass } from '../../ui/button.tsx'
import { DelayedSearch } from '../../ui/delayed-search.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FilterRow, FilterSelect } from '../../ui/filter-row.tsx'
import { Icon } from '../../ui/icons.tsx'
import { actionLinkClass, linkClass } from '../../ui/link.ts'
import { Notice } from '../../ui/notice.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/time.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useCan } from '../identity/session.ts'
import { GrantEditor } from './grant-editor.tsx'
import { GrantSource } from './grant-source.tsx'
import {
	cellOf,
	cellStates,
	type MatrixAgent,
	type MatrixCell,
	type MatrixColumn,
	MatrixGrid,
	type MatrixServer,
	stateOf,
} from './matrix-grid.tsx'
import { type MatrixSearch, parseMatrixSearch } from './matrix-search.ts'
import { agentAccessQuery, useGrant } from './queries.ts'

const route = getRouteApi('/_app/access')

const pageRows = 100

function matrixQuery(page: number, q: string | undefined) {
	return {
		queryKey: ['agents', 'matrix', page, q ?? ''],
		queryFn: () =>
			unwrap(
				api.GET('/v1/access/matrix', {
					params: { query: { page, limit: pageRows, ...(q && { q }) } },
				}),
			),
		refetchInterval: 15_000,
	}
}

/** Which agent may call which tool, by which grant, and who made the grant? */
export function MatrixScreen() {
	const search = route.useSearch()
	const navigate = route.useNavigate()
	const set = (next: MatrixSearch) =>
		void navigate({ search: parseMatrixSearch({ ...search, ...next }), replace: true })
	const first = useQuery(matrixQuery(1, search.q))
	return (
		<Page
			wide
			title="Access matrix"
			description="Every agent and tool. Open a cell to see or change its grant and history."
		>
			<div className="grid grid-cols-[minmax(0,1fr)] gap-3">
				<RoleHint needs="access:write" what="change access" />
				<div className="flex flex-wrap items-center gap-x-4 gap-y-2">
					<FilterRow className="sm:w-full">
						<DelayedSearch label="Find an agent" value={search.q ?? ''} onChange={(q) => set({ q })} />
						<DelayedSearch label="Find a tool" value={search.tool ?? ''} onChange={(tool) => set({ tool })} />
						<FilterSelect
							label="Server"
							all="All servers"
							options={(first.data?.servers ?? []).map(({ id, name }) => [id, name])}
							value={search.server}
							onChange={(server) => set({ server })}
						/>
					</FilterRow>
					<Legend />
				</div>
				{first.error && !first.data ? (
					<Panel>
						<ErrorState error={first.error} retry={() => void first.refetch()} />
					</Panel>
				) : !first.data ? (
					<SkeletonRows rows={10} />
				) : (
					<Matrix key={search.q ?? ''} total={first.data.pagination.total} search={search} />
				)}
			</div>
		</Page>
	)
}

function Legend() {
	return (
		<ul className="flex flex-wrap sm:ml-auto items-center gap-x-3 gap-y-1 text-xs text-ink-2">
			{Object.values(cellStates).map(({ word, icon, look }) => (
				<li key={word} className="flex items-center gap-1.5">
					<span className={`grid size-5 place-items-center rounded ${look || 'border border-line'}`}>
						{icon && <Icon name={icon} className="size-3" />}
					</span>
					{word}
				</li>
			))}
		</ul>
	)
}

function Matrix({ total, search }: { total: number; search: MatrixSearch }) {
	const [place, setPlace] = useState({ row: 0, column: 0 })
	const [inSight, setInSight] = useState([1])
	const [isOpen, setIsOpen] = useState(false)
	const pages = useQueries({ queries: inSight.map((page) => matrixQuery(page, search.q)) })
	const servers = pages.find(({ data }) => data)?.data?.servers
	const columns = useMemo(() => columnsOf(servers ?? [], search), [servers, search])
	const agentAt = (row: number) => {
		const page = Math.floor(row / pageRows) + 1
		return pages[inSight.indexOf(page)]?.data?.agents[row % pageRows]
	}
	const onRows = (first: number, last: number) => {
		const wanted = [...new Set([first, last].map((row) => Math.floor(row / pageRows) + 1))]
		if (wanted.join() !== inSight.join()) setInSight(wanted)
	}
	const agent = agentAt(place.row)
	const column = columns[Math.min(place.column, columns.length - 1)]
	if (total === 0)
		return (
			<Panel>
				<Empty
					icon="agent"
					title={search.q ? 'No results' : 'No agents yet'}
					action={
						!search.q && (
							<Link to="/agents" search={{ create: true }} className={buttonClass('primary')}>
								Create agent
							</Link>
						)
					}
				>
					{search.q ? 'No agent name matches.' : 'Each agent is a row here, each tool a column.'}
				</Empty>
			</Panel>
		)
	if (columns.length === 0)
		return (
			<Panel>
				<Empty icon="tool" title="No tools">
					{search.tool || search.server
						? 'No tool matches the filters.'
						: 'Tools appear here when a registered server has listed them.'}
				</Empty>
			</Panel>
		)
	return (
		<>
			<Panel flush className="overflow-hidden">
				<MatrixGrid
					rows={total}
					agentAt={agentAt}
					columns={columns}
					place={place}
					onPlace={setPlace}
					onOpen={() => setIsOpen(true)}
					onRows={onRows}
				/>
			</Panel>
			<p className="text-xs text-ink-3">
				{formatCounted(total, 'agent')} · {formatCounted(columns.length, 'tool')} · arrow keys move, Enter
				opens
			</p>
			{agent && column && (
				<>
					<Panel title={`${agent.name} · ${column.tool}`}>
						<Decision agent={agent} column={column} />
					</Panel>
					<CellDialog agent={agent} column={column} open={isOpen} onClose={() => setIsOpen(false)} />
				</>
			)}
		</>
	)
}

function columnsOf(servers: readonly MatrixServer[], { tool, server }: MatrixSearch): MatrixColumn[] {
	const wanted = tool?.toLowerCase() ?? ''
	return servers
		.filter(({ id }) => !server || id === server)
		.flatMap((each) =>
			each.tools
				.filter((name) => name.toLowerCase().includes(wanted))
				.map((name) => ({ server: each, tool: name })),
		)
}

/** The decision, the grants behind it, and who made them. */
function Decision({ agent, column }: { agent: MatrixAgent; column: MatrixColumn }) {
	const cell = cellOf(agent, column)
	const state = stateOf(agent, column)
	const { data } = useQuery(agentAccessQuery(agent.uuid))
	const why = data?.effective
		.find(({ server }) => server.id === column.server.id)
		?.tools.find(({ name }) => name === column.tool)?.text
	return (
		<div className="grid gap-2">
			<p className="flex flex-wrap items-center gap-2">
				<Badge tone={state === 'denied' ? 'warn' : state === 'none' ? 'idle' : 'ok'}>
					{cellStates[state].word}
				</Badge>
				<span className="text-ink-2">{why ?? `${agent.name} has no grant on ${column.server.name}.`}</span>
			</p>
			{cell && (
				<ul aria-label="Grants" className="grid gap-1">
					{cell.grants.map((grant) => (
						<GrantLine key={grant.id} grant={grant} />
					))}
				</ul>
			)}
			{cell && cell.unknown_tools.length > 0 && (
				<Notice tone="warn">
					Granted, but not on {column.server.name}: {cell.unknown_tools.join(', ')}
				</Notice>
			)}
		</div>
	)
}

function GrantLine({ grant }: { grant: MatrixCell['grants'][number] }) {
	return (
		<li className="flex flex-wrap items-center gap-x-2 text-ink-2">
			<GrantSource source={grant.source} />
			{!grant.enabled && <Badge tone="warn">switched off</Badge>}
			<span>
				granted <Ago at={grant.created_at} />
			</span>
			<span>
				· last changed {grant.changed_by && `by ${grant.changed_by} `}
				<Ago at={grant.changed_at} />
			</span>
			{grant.expires_at && <span>· ends {formatDateTime(grant.expires_at)}</span>}
			<Link to="/audit" search={{ target: grant.source.id ?? grant.id }} className={actionLinkClass}>
				History
			</Link>
		</li>
	)
}

interface CellDialogProps {
	agent: MatrixAgent
	column: MatrixColumn
	open: boolean
	onClose(): void
}

function CellDialog({ agent, column, open, onClose }: CellDialogProps) {
	return (
		<Dialog
			open={open}
			onClose={onClose}
			wide
			title={`${agent.name} → ${column.server.name}`}
			description={
				<>
					The tool <span className="font-mono text-xs">{column.tool}</span>, and what else is granted on this
					server
				</>
			}
		>
			<div className="grid gap-5">
				<Decision agent={agent} column={column} />
				<DirectGrant agent={agent} column={column} onSaved={onClose} />
				<GrantHistory cell={cellOf(agent, column)} />
			</div>
		</Dialog>
	)
}

function DirectGrant({
	agent,
	column,
	onSaved,
}: Pick<CellDialogProps, 'agent' | 'column'> & { onSaved(): void }) {
	const { server } = column
	const canChange = useCan('access:write')
	const { data, error } = useQuery(agentAccessQuery(agent.uuid))
	const granted =
		data?.access.find(({ grant }) => grant.server_id === server.id && grant.source.kind === 'manual')
			?.grant ?? null
	const { create, update } = useGrant(server.id, agent.uuid, granted)
	if (error && !data) return <InlineError error={error} />
	if (!data) return <SkeletonRows />
	const failure = create.error ?? update.error
	return (
		<section aria-label="Direct grant" className="grid gap-3 border-t border-line pt-4">
			<h3 className="flex items-center justify-between gap-2 font-semibold">
				{granted ? 'Direct grant' : 'No direct grant yet'}
				<Link to="/agents/$agentId" params={{ agentId: agent.uuid }} className={linkClass}>
					Limits and approvals
				</Link>
			</h3>
			<GrantEditor
				name={granted?.id ?? `${server.id} ${agent.uuid}`}
				granted={granted}
				tools={server.tools.map((name) => ({ name }))}
				action={granted ? 'Save changes' : 'Grant access'}
				busy={create.isPending || update.isPending}
				disabled={!canChange}
				onSave={(choice) => (granted ? update : create).mutateAsync(choice).then(onSaved)}
			/>
			{failure && <InlineError error={failure} />}
		</section>
	)
}

/** The newest audit records on the grants, for those who may read the log. */
function GrantHistory({ cell }: { cell: MatrixCell | undefined }) {
	const canRead = useCan('audit:read')
	const targets = (cell?.grants ?? []).map(({ id, source }) => source.id ?? id)
	const histories = useQueries({
		queries: targets.map((target) => ({
			queryKey: ['audit', 'list', 'grant', target],
			queryFn: () => unwrap(api.GET('/v1/audit', { params: { query: { limit: 10, target } } })),
			enabled: canRead,
		})),
	})
	const records = histories.flatMap(({ data }) => data?.audit ?? [])
	if (!canRead || records.length === 0) return null
	return (
		<section aria-label="History" className="grid gap-1.5 border-t border-line pt-4">
			<h3 className="font-semibold">History</h3>
			<ol className="grid gap-1">
				{records
					.toSorted((a, b) => b.at.localeCompare(a.at))
					.map(({ id, at, actor, action }) => (
						<li key={id} className="flex flex-wrap gap-x-2 text-ink-2">
							<time dateTime={at} className="tabular-nums">
								{formatDateTime(at)}
							</time>
							<span className="font-mono text-xs leading-5">{action}</span>
							<span>by {actor.name}</span>
						</li>
					))}
			</ol>
		</section>
	)
}
