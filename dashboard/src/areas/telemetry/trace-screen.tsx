import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { formatCompact, formatCount, formatDateTime, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { CopyText } from '../../ui/copy.tsx'
import { linkClass } from '../../ui/link.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { SplitPane } from '../../ui/split-pane.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { ScoresPanel } from '../scores/scores-panel.tsx'
import { sessionParam } from '../sessions/session-param.ts'
import { subjectOf } from './describe-span.ts'
import { traceQuery } from './queries.ts'
import { SpanDetail } from './span-detail.tsx'
import { toSpanTree } from './span-tree.ts'
import { factsOf, type TraceFacts } from './trace-facts.ts'
import { Waterfall } from './waterfall.tsx'

const route = getRouteApi('/_app/traces/$traceId')
const listId = 'trace-spans'
const paneId = 'trace-pane'
const focusList = () => document.getElementById(listId)?.focus()
const focusPane = () => document.getElementById(paneId)?.focus()

/** What happened in one trace, in which order, where the time went, and what was said. */
export function TraceScreen() {
	const { traceId } = route.useParams()
	const { span: wanted } = route.useSearch()
	const navigate = route.useNavigate()
	const { data, error, isPending, refetch } = useQuery(traceQuery(traceId))
	const tree = useMemo(() => toSpanTree(data?.spans ?? []), [data])
	const facts = useMemo(() => factsOf(tree), [tree])
	const root = tree.rows[0]?.span
	const selected = useMemo(
		() => tree.rows.find(({ span }) => span.span_id === wanted)?.span ?? root,
		[tree, wanted, root],
	)
	// Where the list is scrolled to is its own: the router would put it back to where it was before a key moved it.
	const select = (spanId: string) =>
		void navigate({ search: { span: spanId }, replace: true, resetScroll: false })
	const step = (by: 1 | -1) => {
		const at = tree.rows.findIndex(({ span }) => span === selected)
		const next = tree.rows[at + by]
		if (next) select(next.span.span_id)
	}
	useKeys({
		j: () => step(1),
		k: () => step(-1),
		Escape: focusList,
	})
	return (
		<Page
			wide
			title={root ? subjectOf(root) : 'Trace'}
			above={
				<Link to="/traces" className="hover:underline">
					Calls & traces
				</Link>
			}
			beside={root && <Outcome failed={tree.failed} />}
			description={
				root && (
					<>
						<span className="flex flex-wrap items-center gap-x-3 gap-y-1 tabular-nums">
							<span>{formatDateTime(tree.startedAt)}</span>
							<span>{formatMs(tree.durationMs)}</span>
							<span>
								{data?.isWhole === false && 'the first '}
								{formatCount(tree.rows.length)} {tree.rows.length === 1 ? 'span' : 'spans'}
							</span>
							<CopyText text={traceId} />
						</span>
						<Whose facts={facts} />
					</>
				)
			}
		>
			{isPending ? (
				<SkeletonRows rows={8} />
			) : error ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !selected ? (
				<Panel>
					<Empty icon="search" title="Trace not found">
						A new trace appears here within a second. It may also be in another workspace, or past its
						retention.
					</Empty>
				</Panel>
			) : (
				<SplitPane
					name="trace"
					left={
						<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
							<Waterfall
								id={listId}
								tree={tree}
								selectedId={selected.span_id}
								onSelect={select}
								onOpen={focusPane}
							/>
							<ScoresPanel judged={{ trace_id: traceId }} />
						</div>
					}
					right={<SpanDetail id={paneId} span={selected} links={data.toolLinks} />}
				/>
			)}
		</Page>
	)
}

/** Tokens, cost, models, and whose the trace is, each leading on. */
function Whose({ facts }: { facts: TraceFacts }) {
	const { modelCalls, unpricedCalls, costNanoUsd } = facts
	const cost = unpricedCalls === modelCalls ? 'unpriced' : formatNanoUsd(String(costNanoUsd))
	return (
		<span className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 tabular-nums">
			{modelCalls > 0 && (
				<>
					<span>{formatCompact(facts.tokens)} tokens</span>
					<span>{cost}</span>
				</>
			)}
			{facts.models.slice(0, 3).map((model) => (
				<Link key={model} to="/spotlight" search={{ by: 'models', model }} className={linkClass}>
					{model}
				</Link>
			))}
			{facts.agents.map(({ uuid, name }) =>
				uuid ? (
					<Link key={name} to="/agents/$agentId" params={{ agentId: uuid }} className={linkClass}>
						{name}
					</Link>
				) : (
					<span key={name}>{name}</span>
				),
			)}
			{facts.users.slice(0, 3).map((user) => (
				<Link key={user} to="/users" search={{ user }} className={linkClass}>
					{user}
				</Link>
			))}
			{facts.sessions.slice(0, 3).map((session) => (
				<Link
					key={session}
					to="/sessions/$sessionId"
					params={{ sessionId: sessionParam(session) }}
					className={linkClass}
				>
					session {session.length > 24 ? `${session.slice(0, 24)}…` : session}
				</Link>
			))}
		</span>
	)
}

function Outcome({ failed }: { failed: number }) {
	return failed === 0 ? <Badge tone="ok">ok</Badge> : <Badge tone="bad">error ({formatCount(failed)})</Badge>
}
