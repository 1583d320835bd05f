import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { linkClass } from '../../ui/link.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { useCan } from '../identity/session.ts'
import { ApproverHint } from './approver-hint.tsx'
import { EarlierCalls } from './earlier-calls.tsx'
import { waitingQuery } from './queries.ts'
import { WaitingList } from './waiting-list.tsx'

const route = getRouteApi('/_app/approvals/')

/** Which calls wait for my decision, and what was decided before? */
export function ApprovalsScreen() {
	const canDecide = useCan('approvals:decide')
	const canRead = useCan('approvals:read')
	const search = route.useSearch()
	const navigate = route.useNavigate()
	return (
		<Page title="Approvals" description="Tool calls waiting for human approval.">
			{!canDecide && <ApproverHint what="decide about calls" path="/approvals" />}
			{canRead && (
				<div className="grid grid-cols-[minmax(0,1fr)] gap-7">
					{canDecide && <Waiting />}
					<EarlierCalls search={search} onChange={(next) => void navigate({ search: next, replace: true })} />
				</div>
			)}
		</Page>
	)
}

function Waiting() {
	const { data, error, refetch } = useQuery(waitingQuery)
	return (
		<section aria-labelledby="waiting">
			<div className="mb-3 flex flex-wrap items-center justify-between gap-2">
				<h2 id="waiting" className="text-sm font-semibold">
					Waiting
				</h2>
				{data && data.approvals.length > 0 && <KeyHelp />}
			</div>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows />
			) : data.approvals.length === 0 ? (
				<Panel>
					<Empty icon="approve" title="Nothing to approve">
						To require approval for a tool, open the{' '}
						<Link to="/agents" className={linkClass}>
							access of an agent
						</Link>{' '}
						and limit the tool.
					</Empty>
				</Panel>
			) : (
				<WaitingList approvals={data.approvals} total={data.pagination.total} />
			)}
		</section>
	)
}

const keys = [
	['j', 'next'],
	['k', 'previous'],
	['a', 'approve'],
	['d', 'deny'],
] as const

function KeyHelp() {
	return (
		<p className="hidden items-center gap-3 text-xs text-ink-3 sm:flex">
			{keys.map(([key, what]) => (
				<span key={key}>
					<kbd className="rounded border border-line bg-sunken px-1.5 py-0.5 font-mono">{key}</kbd> {what}
				</span>
			))}
		</p>
	)
}
