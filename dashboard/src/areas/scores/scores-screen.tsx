import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { defaultRange, type TimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { FilterChips } from '../../ui/filter-chips.tsx'
import { FilterSelect } from '../../ui/filter-row.tsx'
import { OlderButton } from '../../ui/older-button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { scoreFiguresQuery, scoresQuery } from './queries.ts'
import { ScoreFiguresTable } from './score-figures-table.tsx'
import { ScoreTable } from './score-table.tsx'
import { sourceTexts } from './score-texts.ts'
import { parseScoresSearch } from './scores-search.ts'

const route = getRouteApi('/_app/scores')

/** How good were the answers, according to people, models and programs? */
export function ScoresScreen() {
	const { start, end, ...filter } = route.useSearch()
	const range: TimeRange = start ? { start, ...(end && { end }) } : defaultRange
	const navigate = route.useNavigate()
	const set = (change: Record<string, unknown>) =>
		void navigate({ search: parseScoresSearch({ ...range, ...filter, ...change }), replace: true })
	const figures = useQuery(scoreFiguresQuery(range))
	const list = useInfiniteQuery(scoresQuery(range, filter))
	const scores = list.data?.pages.flatMap((page) => page.scores) ?? []
	const isFiltered = Object.keys(filter).length > 0
	return (
		<Page
			title="Scores"
			description="Scores for traces and sessions from people, models and programs, sent by OTLP or the API or added here."
			actions={<RangePicker range={range} onChange={(next) => set({ end: undefined, ...next })} />}
		>
			<div className="grid grid-cols-1 gap-4">
				{figures.error && !figures.data && <InlineError error={figures.error} />}
				{figures.data && figures.data.scores.length > 0 && (
					<Panel title="By name" flush>
						<ScoreFiguresTable figures={figures.data.scores} onPick={(name) => set({ name })} />
					</Panel>
				)}
				<div className="flex flex-wrap items-center gap-2">
					<FilterSelect
						label="Given by"
						all="From anyone"
						options={Object.entries(sourceTexts).map(([value, text]) => [value, `Given by ${text}`])}
						className="w-auto!"
						value={filter.source}
						onChange={(source) => set({ source })}
					/>
					{filter.name && (
						<FilterChips chips={[{ name: 'name', text: filter.name, onRemove: () => set({ name: '' }) }]} />
					)}
				</div>
				<Panel flush>
					{list.isPending ? (
						<SkeletonRows />
					) : list.isError && scores.length === 0 ? (
						<ErrorState error={list.error} retry={() => void list.refetch()} />
					) : scores.length > 0 ? (
						<ScoreTable scores={scores} />
					) : (
						<Empty
							icon="review"
							title={isFiltered ? 'No score matches' : 'No scores in this period'}
							action={
								isFiltered && <Button onClick={() => set({ name: '', source: '' })}>Clear the filters</Button>
							}
						>
							{isFiltered
								? 'Remove a filter, or choose a longer period.'
								: 'Open a trace and add a score, or send scores by the API.'}
						</Empty>
					)}
					<OlderButton what="scores" query={list} />
				</Panel>
			</div>
		</Page>
	)
}
