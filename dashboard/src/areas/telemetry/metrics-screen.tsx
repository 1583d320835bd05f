import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api, type Schemas, unwrap } from '../../api.ts'
import { formatCompact, formatCounted } from '../../lib/format.ts'
import { defaultRange, isRelative, type TimeRange } from '../../lib/time-range.ts'
import { cn } from '../../ui/cn.ts'
import { SearchInput } from '../../ui/field.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { scrollRegion } from '../../ui/scroll-region.ts'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { AttributeFilters } from './attribute-filters.tsx'
import { MetricPanel } from './metric-panel.tsx'
import { lastSent, type MetricsSearch, parseMetricsSearch } from './metrics-search.ts'
import { NoTelemetry } from './no-telemetry.tsx'
import { ServiceSelect } from './service-select.tsx'

const route = getRouteApi('/_app/metrics')

/** Which metrics exist, and how did one of them develop? */
export function MetricsScreen() {
	const search = route.useSearch()
	const navigate = route.useNavigate()
	const { start = defaultRange.start, end, service, attribute, q = '' } = search
	const range: TimeRange = { start, ...(end && { end }) }
	const set = (change: MetricsSearch, replace = false) =>
		void navigate({ search: parseMetricsSearch({ ...search, ...change }), replace })
	const setRange = (next: TimeRange) => {
		const { start: _start, end: _end, ...rest } = search
		void navigate({ search: parseMetricsSearch({ ...rest, ...next }) })
	}
	const asked = { ...range, ...(service && { service }), ...(attribute && { attribute }) }
	const query = useQuery({
		queryKey: ['metrics', 'list', asked],
		queryFn: () => unwrap(api.GET('/v1/telemetry/metrics', { params: { query: asked } })),
		refetchInterval: isRelative(range) ? 10_000 : false,
	})
	const all = query.data?.metrics ?? []
	const metrics = all.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))
	const chosen = lastSent(all, search.metric) ?? lastSent(all, metrics[0]?.name)
	return (
		<Page
			title="Metrics"
			description="Received metrics over time, in total or grouped by an attribute."
			actions={<RangePicker range={range} onChange={setRange} />}
		>
			<AttributeFilters
				attributes={attribute ?? []}
				fields={{ service }}
				onChange={({ attributes, field }) =>
					set(field ? { service: field.value } : { attribute: attributes ?? [] })
				}
				facets={{
					counts: 'data points',
					queryKey: ['facets', 'metrics', asked],
					queryFn: () => unwrap(api.GET('/v1/telemetry/metrics/facets', { params: { query: asked } })),
				}}
				inputs={
					<>
						<SearchInput
							label="Find by name"
							value={q}
							onChange={(event) => set({ q: event.target.value }, true)}
						/>
						<ServiceSelect value={service} onChange={(next) => set({ service: next })} />
					</>
				}
			>
				{query.error && !query.data ? (
					<ErrorState error={query.error} retry={() => void query.refetch()} />
				) : !query.data ? (
					<SkeletonRows rows={8} />
				) : query.data.metrics.length === 0 && !attribute && !service ? (
					<Panel flush>
						<NoTelemetry what="metrics" signal="metrics" />
					</Panel>
				) : (
					<div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[300px_minmax(0,1fr)]">
						<MetricList
							metrics={metrics}
							chosen={chosen?.name}
							onChoose={(metric) => {
								const { aggregate: _aggregate, group: _group, ...rest } = search
								void navigate({ search: parseMetricsSearch({ ...rest, metric }) })
							}}
						/>
						{chosen && (
							<MetricPanel metric={chosen} range={range} search={search} onChange={(change) => set(change)} />
						)}
					</div>
				)}
			</AttributeFilters>
		</Page>
	)
}

interface MetricListProps {
	metrics: readonly Schemas['Metric'][]
	chosen: string | undefined
	onChoose(name: string): void
}

function MetricList({ metrics, chosen, onChoose }: MetricListProps) {
	return (
		<Panel flush>
			{metrics.length === 0 ? (
				<Empty icon="search" title="No metric matches">
					Remove a filter, or try a shorter part of the name.
				</Empty>
			) : (
				<div {...scrollRegion('Metrics')} className="max-h-72 overflow-y-auto rounded-xl lg:max-h-[36rem]">
					<ul>
						{metrics.map(({ name, kind, unit, temporality, is_monotonic, points }) => (
							<li
								key={`${name} ${kind} ${unit} ${temporality} ${is_monotonic}`}
								className="border-b border-line last:border-0"
							>
								<button
									type="button"
									aria-current={name === chosen}
									onClick={() => onChoose(name)}
									className={cn(
										'block w-full px-4 py-2 text-left -outline-offset-2',
										name === chosen ? 'bg-accent-soft' : 'hover:bg-hover',
									)}
								>
									<span className="block font-mono text-xs break-all">{name}</span>
									<span className="block text-xs text-ink-2">
										{kind.replaceAll('_', ' ')} · {formatCounted(points, 'point', formatCompact)}
									</span>
								</button>
							</li>
						))}
					</ul>
				</div>
			)}
		</Panel>
	)
}
