import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { formatCompact, formatCount, formatCounted, formatDateTime, formatMs } from '../../lib/format.ts'
import { toPathText } from '../../lib/path-text.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { CopyText } from '../../ui/copy.tsx'
import { linkClass, parentLink } from '../../ui/link.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { SplitPane } from '../../ui/split-pane.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { ScoresPanel } from '../scores/scores-panel.tsx'
import { factsOf, shownCost, subjectOf, type TraceFacts } from './describe-span.ts'
import { traceQuery } from './queries.ts'
import { RunDetail } from './run-detail.tsx'
import { SpanDetail } from './span-detail.tsx'
import { toShownRows, toSpanTree } from './span-tree.ts'
import { Waterfall } from './waterfall.tsx'

const route = getRouteApi('/_app/traces/$traceId')
const listId = 'trace-spans'
const paneId = 'trace-pane'
const focusList = () => document.getElementById(listId)?.focus()
const focusPane = () => document.getElementById(paneId)?.focus()

/** What happened in one trace, in which order, where was the time spent, and what was said? */
export function TraceScreen() {
	const { traceId } = route.useParams()
	const { span: wanted } = route.useSearch()
	const navigate = route.useNavigate()
	const { data, error, isPending, refetch } = useQuery(traceQuery(traceId))
	const tree = useMemo(() => toSpanTree(data?.spans ?? []), [data])
	const facts = useMemo(() => factsOf(tree), [tree])
	const [folds, setFolds] = useState<ReadonlyMap<string, boolean>>(new Map())
	const root = tree.rows[0]?.span
	const shown = useMemo(() => toShownRows(tree.rows, folds, wanted ?? ''), [tree, folds, wanted])
	const selected = useMemo(() => shown.find(({ id }) => id === wanted) ?? shown[0], [shown, wanted])
	// The list manages its own scroll position; the router would restore the one from before a key press.
	const select = (id: string) => {
		// A run that was opened by a link stays open when another span is selected.
		const opened = shown.filter(({ run, isOpen, id }) => run && isOpen && !folds.has(id))
		if (opened.length > 0) setFolds(new Map([...folds, ...opened.map(({ id }) => [id, true] as const)]))
		void navigate({ search: { span: id }, replace: true, resetScroll: false })
	}
	const fold = (id: string, isOpen: boolean) => setFolds((all) => new Map([...all, [id, isOpen]]))
	const step = (by: 1 | -1) => {
		const next = selected && shown[shown.indexOf(selected) + by]
		if (next) select(next.id)
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
				<Link to="/traces" {...parentLink}>
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
								{formatCounted(tree.rows.length, 'span')}
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
						<Waterfall
							id={listId}
							tree={tree}
							rows={shown}
							selectedId={selected.id}
							onSelect={select}
							onFold={fold}
							onOpen={focusPane}
						/>
					}
					below={<ScoresPanel scored={{ trace_id: traceId }} />}
					right={
						selected.run ? (
							<RunDetail
								id={paneId}
								run={selected.run}
								isOpen={selected.isOpen === true}
								onFold={(isOpen) => fold(selected.id, isOpen)}
								onSelect={select}
							/>
						) : (
							<SpanDetail id={paneId} span={selected.row.span} links={data.toolLinks} />
						)
					}
				/>
			)}
		</Page>
	)
}

/** Tokens, cost, models, session, user and agent of the trace, with links. */
function Whose({ facts }: { facts: TraceFacts }) {
	return (
		<span className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 tabular-nums">
			{facts.modelCalls > 0 && (
				<>
					<span>{formatCompact(facts.tokens)} tokens</span>
					<span>{shownCost(facts)}</span>
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
					params={{ sessionId: toPathText(session) }}
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
