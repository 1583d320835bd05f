import { getRouteApi, Link } from '@tanstack/react-router'
import { defaultRange, type TimeRange } from '../../lib/time-range.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ExportMenu } from '../../ui/export-menu.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AlertsLink } from '../alerts/alerts-link.tsx'
import { SaveView } from '../saved-views/save-view.tsx'
import { ActivityPanel } from './activity-panel.tsx'
import { Breakdown } from './breakdown.tsx'
import { type By, breakdowns, type CallFilter } from './breakdowns.ts'
import { conditionsOf, searchOf } from './conditions.ts'
import { FacetBar } from './facet-bar.tsx'
import { FiguresOf } from './figures.tsx'
import { GroupField } from './group-field.tsx'
import { linkToCalls } from './link-to-calls.ts'
import type { TimeseriesView } from './queries.ts'
import { RangePicker } from './range-picker.tsx'
import {
	changeMeasureOf,
	filterOf,
	parseSpotlightSearch,
	type SpotlightSearch,
	textFilters,
} from './spotlight-search.ts'

const route = getRouteApi('/_app/spotlight')

/** Who uses what, what does it cost, and what got worse? */
export function SpotlightScreen() {
	const search = route.useSearch()
	const navigate = route.useNavigate()
	const range: TimeRange = search.start ? { ...defaultRange, ...pickRange(search) } : defaultRange
	const filter = filterOf(search)
	const groups = search.group_by ?? []
	const sort = search.sort ?? 'calls'
	const compare = search.compare === true || changeMeasureOf(sort) !== null
	const shown: TimeseriesView =
		groups.length > 0 ? { group_by: groups } : compare ? { compare: 'previous' } : {}
	const set = (change: Partial<SpotlightSearch>) =>
		void navigate({ search: parseSpotlightSearch({ ...search, ...change }) })
	const setRange = (next: TimeRange) => {
		const { start: _start, end: _end, ...rest } = search
		void navigate({ search: parseSpotlightSearch({ ...rest, ...next }) })
	}
	const setFilter = (next: CallFilter) =>
		void navigate({ search: parseSpotlightSearch({ ...viewOf(search), ...next }) })
	return (
		<Page
			wide
			title="Spotlight"
			description="Group and filter tool and model calls. Each figure opens its calls."
			actions={
				<>
					<Link to="/traces" search={linkToCalls(filter, range)} className={buttonClass()}>
						View calls
					</Link>
					{search.by !== 'usage' && groups.length === 0 && (
						<SaveView
							read={search.by ?? 'tools'}
							start={range.end ? undefined : range.start}
							filter={filter}
							compare={compare}
							sort={sort}
						/>
					)}
					<AlertsLink />
					<RangePicker range={range} onChange={setRange} />
				</>
			}
		>
			<FacetBar
				conditions={conditionsOf(filter, names)}
				onChange={(conditions) => setFilter(searchOf(conditions, names))}
				range={range}
				of="calls"
				fields={facetFields}
			>
				<div className="grid grid-cols-1 gap-4">
					<FiguresOf range={range} filter={filter} />
					<ActivityPanel
						range={range}
						filter={filter}
						shown={shown}
						actions={
							<ExportMenu
								path="/v1/spotlight/export"
								formats={['csv', 'json']}
								query={{ list: 'timeseries', ...range, ...filter, ...shown }}
								asked="/v1/spotlight/timeseries"
							/>
						}
						onZoom={setRange}
					/>
					<GroupField groups={groups} onChange={(next) => set({ group_by: [...next] })} />
					<Tabs<By>
						label="Calls by"
						value={search.by ?? 'tools'}
						onChange={(by) => set({ by })}
						tabs={breakdowns.map(({ by, label }) => ({
							value: by,
							label,
							content: (
								<Breakdown
									key={by}
									query={{ by, groups, range, filter, sort, compare }}
									onCompare={(next) => set({ compare: next ? true : undefined } as SpotlightSearch)}
									onSort={(next) => set({ sort: next })}
									onFilter={setFilter}
								/>
							),
						}))}
					/>
				</div>
			</FacetBar>
		</Page>
	)
}

const names = Object.fromEntries(['kind', 'status', ...textFilters].map((name) => [name, name]))
const facetFields = [
	'status',
	'kind',
	'agent',
	'server',
	'tool',
	'model',
	'error_type',
	'user',
	'client',
	'connection',
]

function pickRange({ start, end }: SpotlightSearch): Partial<TimeRange> {
	return { ...(start && { start }), ...(end && { end }) }
}

/** The parameters that stay when the conditions change. */
function viewOf({ by, sort, compare, group_by, ...rest }: SpotlightSearch): SpotlightSearch {
	return {
		...pickRange(rest),
		...(by && { by }),
		...(sort && { sort }),
		...(compare && { compare }),
		...(group_by && { group_by }),
	}
}
