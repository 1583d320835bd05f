import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { defaultRange, type TimeRange } from '../../lib/time-range.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, ErrorState } from '../../ui/states.tsx'
import { AlertsLink } from '../alerts/alerts-link.tsx'
import { demoQuery } from '../demo/queries.ts'
import { useMe } from '../identity/session.ts'
import { ActivityPanel } from './activity-panel.tsx'
import { Figures } from './figures.tsx'
import { overviewQuery } from './queries.ts'
import { RangePicker } from './range-picker.tsx'
import { RecentFailures, ServerHealth } from './side-panels.tsx'
import { TokenPanel } from './token-panel.tsx'

const route = getRouteApi('/_app/')

const DemoPanel = lazy(async () => ({ default: (await import('../demo/demo-panel.tsx')).DemoPanel }))
const DemoOffer = lazy(async () => ({ default: (await import('../demo/demo-offer.tsx')).DemoOffer }))

/** Is anything wrong now, who uses what, and what does it cost? */
export function OverviewScreen() {
	const search = route.useSearch()
	const navigate = route.useNavigate()
	const range: TimeRange = { ...defaultRange, ...search }
	const overview = useQuery(overviewQuery(range))
	const isDemo = useQuery(demoQuery).data?.workspace_id === useMe().workspace.id
	const setRange = (next: TimeRange) => void navigate({ search: next })
	return (
		<Page
			title="Home"
			actions={
				<>
					<AlertsLink />
					<RangePicker range={range} onChange={setRange} />
				</>
			}
		>
			{overview.isError && !overview.data ? (
				<ErrorState error={overview.error} retry={() => void overview.refetch()} />
			) : (
				<div className="grid gap-4">
					{isDemo && (
						<Suspense>
							<DemoPanel />
						</Suspense>
					)}
					<Figures overview={overview.data} range={range} />
					{overview.data?.calls === 0 ? <NothingYet /> : <ActivityPanel range={range} onZoom={setRange} />}
					<div className="grid gap-4 lg:grid-cols-3">
						<TokenPanel overview={overview.data} />
						<ServerHealth />
						<RecentFailures range={range} />
					</div>
				</div>
			)}
		</Page>
	)
}

function NothingYet() {
	return (
		<div className="rounded-xl border border-line bg-surface">
			<Empty
				icon="live"
				title="No calls in this period"
				action={
					<>
						<Link to="/getting-started" className={buttonClass('primary')}>
							Connect an agent
						</Link>
						<Suspense>
							<DemoOffer />
						</Suspense>
					</>
				}
			>
				Tool calls, model calls and spans appear here as they pass. Connect an agent, or choose a longer
				period.
			</Empty>
		</div>
	)
}
