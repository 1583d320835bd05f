import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { formatCompact, formatCounted, formatNanoUsd } from '../../lib/format.ts'
import { defaultRange, type TimeRange } from '../../lib/time-range.ts'
import { buttonClass } from '../../ui/button.tsx'
import { linkClass } from '../../ui/link.ts'
import { Notice } from '../../ui/notice.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeChart } from '../../ui/time-chart.tsx'
import { Figures } from '../spotlight/figures.tsx'
import { overviewQuery, timeseriesQuery } from '../spotlight/queries.ts'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { BudgetsPanel } from './budgets-panel.tsx'
import { CacheMissesPanel } from './cache-misses-panel.tsx'
import { HighestCostPanel } from './highest-cost-panel.tsx'
import { ToolCostsPanel } from './tool-costs-panel.tsx'

const route = getRouteApi('/_app/spend')

/** What do models cost, who spends it, and what is left of the budgets? */
export function SpendScreen() {
	const search = route.useSearch()
	const navigate = route.useNavigate()
	const range: TimeRange = { ...defaultRange, ...search }
	const filter = { kind: 'model_call' } as const
	const overview = useQuery(overviewQuery(range, filter))
	const unpriced = overview.data?.unpriced_calls ?? 0
	return (
		<Page
			title="Spend"
			description="Model call costs. Calls to models without a price are counted separately: unknown is not free."
			actions={<RangePicker range={range} onChange={(next) => void navigate({ search: next })} />}
		>
			{overview.error && !overview.data ? (
				<ErrorState error={overview.error} retry={() => void overview.refetch()} />
			) : (
				<div className="grid grid-cols-1 gap-4">
					<Figures overview={overview.data} range={range} filter={filter} />
					{unpriced > 0 && (
						<Notice tone="warn" title={`${formatCounted(unpriced, 'call')} without a price`}>
							Not included in the total.{' '}
							<Link to="/prices" search={range} className={linkClass}>
								Give their models a price
							</Link>
						</Notice>
					)}
					{overview.data?.calls === 0 ? <NoModelCalls /> : <CostOverTime range={range} />}
					<div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
						<HighestCostPanel by="agents" title="By agent" range={range} />
						<HighestCostPanel by="models" title="By model" range={range} />
						<HighestCostPanel by="sessions" title="By session" range={range} />
						<ToolCostsPanel range={range} />
					</div>
					<CacheMissesPanel range={range} />
					<BudgetsPanel />
				</div>
			)}
		</Page>
	)
}

function CostOverTime({ range }: { range: TimeRange }) {
	const { data, error, refetch } = useQuery(timeseriesQuery(range, { kind: 'model_call' }))
	return (
		<Panel title="Cost over time">
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<Skeleton className="h-60" />
			) : (
				<TimeChart
					label="Cost"
					stacked
					start={data.start}
					end={data.end}
					intervalMs={data.interval_ms}
					format={(value) =>
						value >= 1e15 ? `$${formatCompact(value / 1e9)}` : formatNanoUsd(String(value))
					}
					series={[
						{
							name: 'Cost',
							points: data.buckets.map(({ start, cost_nano_usd }) => ({
								start,
								value: Number(cost_nano_usd),
							})),
						},
					]}
				/>
			)}
		</Panel>
	)
}

function NoModelCalls() {
	return (
		<Panel flush>
			<Empty
				icon="model"
				title="No model calls in this period"
				action={
					<Link to="/connections" className={buttonClass('primary')}>
						Connect a model provider
					</Link>
				}
			>
				Send model calls through a connection: their tokens and their cost appear here automatically.
			</Empty>
		</Panel>
	)
}
