import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Panel } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { DaysSelect } from './days-select.tsx'
import { suggestionsQuery } from './queries.ts'
import type { SuggestionState } from './review-search.ts'
import { SuggestionCard } from './suggestion-card.tsx'

const states = [
	{ value: 'open', label: 'Open' },
	{ value: 'applied', label: 'Applied' },
	{ value: 'reverted', label: 'Reverted' },
] as const satisfies readonly { value: SuggestionState; label: string }[]

interface SuggestionsProps {
	days: number
	state: SuggestionState
	onChange(change: { days?: number; state?: SuggestionState }): void
}

/** Access that the recorded calls did not need. */
export function Suggestions({ days, state, onChange }: SuggestionsProps) {
	const [page, setPage] = useState(1)
	const { data, error, refetch } = useQuery(suggestionsQuery({ days, state, page }))
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-3">
			<RoleHint needs="access:write" what="apply a suggestion" />
			<div className="flex flex-wrap gap-2">
				<Segmented<SuggestionState>
					label="State"
					value={state}
					options={states}
					onChange={(next) => {
						setPage(1)
						onChange({ state: next })
					}}
				/>
				{state === 'open' && (
					<DaysSelect
						days={days}
						onChange={(next) => {
							setPage(1)
							onChange({ days: next })
						}}
					/>
				)}
			</div>
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows />
			) : data.suggestions.length === 0 ? (
				<Panel>
					<Empty icon="review" title={state === 'open' ? 'Nothing to remove' : `No ${state} suggestions`}>
						{state === 'open'
							? `Grants that were not used in the last ${days === 1 ? 'day' : `${days} days`} appear here. Younger grants, and those that were changed since, are left out.`
							: 'What you apply can be put back here, as long as nobody changes the grant.'}
					</Empty>
				</Panel>
			) : (
				data.suggestions.map((suggestion) => <SuggestionCard key={suggestion.id} suggestion={suggestion} />)
			)}
			{data && <Pager pagination={data.pagination} onChange={setPage} />}
		</div>
	)
}
