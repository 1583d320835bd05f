import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { defaultRange, type TimeRange } from '../../lib/time-range.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { RangePicker } from '../spotlight/range-picker.tsx'
import type { MapSearch } from './map-search.ts'
import { trafficQuery } from './queries.ts'
import { TrafficMap } from './traffic-map.tsx'
import { TrafficTable } from './traffic-table.tsx'

const route = getRouteApi('/_app/map')

const views = [
	{ value: 'map', label: 'Map' },
	{ value: 'table', label: 'Table' },
] as const

/** Where does the traffic go, and what would an outage affect? */
export function MapScreen() {
	const { view, ...search } = route.useSearch()
	const navigate = route.useNavigate()
	const range: TimeRange = { ...defaultRange, ...search }
	const { data: lines, error, refetch } = useQuery(trafficQuery(range))
	const show = (next: MapSearch) => void navigate({ search: next })
	return (
		<Page
			title="Traffic map"
			description="Which agents call which servers and models. A wide line is many calls; a red one has one failed call in ten, or more."
			actions={<RangePicker range={range} onChange={(next) => show({ ...next, ...(view && { view }) })} />}
		>
			<Panel
				title="Who calls what"
				actions={
					<Segmented<'map' | 'table'>
						label="View"
						value={view ?? 'map'}
						options={views}
						onChange={(next) => show({ ...search, ...(next === 'table' && { view: next }) })}
					/>
				}
				flush
			>
				{error && !lines ? (
					<ErrorState error={error} retry={() => void refetch()} />
				) : !lines ? (
					<SkeletonRows rows={8} />
				) : lines.length === 0 ? (
					<NoTraffic />
				) : view === 'table' ? (
					<TrafficTable lines={lines} />
				) : (
					<TrafficMap lines={lines} />
				)}
			</Panel>
		</Page>
	)
}

function NoTraffic() {
	return (
		<Empty
			icon="live"
			title="No calls in this period"
			action={
				<Link to="/getting-started" className={buttonClass('primary')}>
					Connect an agent
				</Link>
			}
		>
			Agents, servers and models appear here with their first call. Connect an agent, or choose a longer
			period.
		</Empty>
	)
}
