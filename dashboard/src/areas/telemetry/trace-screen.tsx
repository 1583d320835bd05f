import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { formatCount, formatDateTime, formatMs } from '../../lib/format.ts'
import { CopyText } from '../../ui/copy.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { ScoresPanel } from '../scores/scores-panel.tsx'
import { subjectOf } from './describe-span.ts'
import { traceQuery } from './queries.ts'
import { SpanDetail } from './span-detail.tsx'
import { toSpanTree } from './span-tree.ts'
import { Waterfall } from './waterfall.tsx'

const route = getRouteApi('/_app/traces/$traceId')

/** What happened in one trace, in which order, and where the time went. */
export function TraceScreen() {
	const { traceId } = route.useParams()
	const { span: wanted } = route.useSearch()
	const navigate = route.useNavigate()
	const { data, error, isPending, refetch } = useQuery(traceQuery(traceId))
	const tree = useMemo(() => toSpanTree(data?.spans ?? []), [data])
	const root = tree.rows[0]?.span
	const selected = useMemo(
		() => tree.rows.find(({ span }) => span.span_id === wanted)?.span ?? root,
		[tree, wanted, root],
	)
	// Where the list is scrolled to is its own: the router would put it back to where it was before a key moved it.
	const select = (spanId: string) =>
		void navigate({ search: { span: spanId }, replace: true, resetScroll: false })
	return (
		<Page
			title={root ? subjectOf(root) : 'Trace'}
			above={
				<Link to="/traces" className="hover:underline">
					Calls & traces
				</Link>
			}
			beside={root && <Outcome failed={tree.failed} />}
			description={
				root && (
					<span className="flex flex-wrap items-center gap-x-3 gap-y-1 tabular-nums">
						<span>{formatDateTime(tree.startedAt)}</span>
						<span>{formatMs(tree.durationMs)}</span>
						<span>
							{data?.isWhole === false && 'the first '}
							{formatCount(tree.rows.length)} {tree.rows.length === 1 ? 'span' : 'spans'}
						</span>
						<CopyText text={traceId} />
					</span>
				)
			}
		>
			{isPending ? (
				<SkeletonRows rows={8} />
			) : error ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !selected ? (
				<Panel>
					<Empty icon="search" title="No span of this trace is stored">
						A fresh one appears here by itself in a second. An old one may be past the retention of this
						workspace.
					</Empty>
				</Panel>
			) : (
				<div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_360px]">
					<div className="grid min-w-0 gap-4">
						<Waterfall tree={tree} selectedId={selected.span_id} onSelect={select} />
						<ScoresPanel judged={{ trace_id: traceId }} />
					</div>
					<SpanDetail span={selected} links={data.toolLinks} />
				</div>
			)}
		</Page>
	)
}

function Outcome({ failed }: { failed: number }) {
	return failed === 0 ? (
		<Badge tone="ok">no failures</Badge>
	) : (
		<Badge tone="bad">{formatCount(failed)} failed</Badge>
	)
}
