import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { ReviewSearch } from './review-search.ts'
import { Simulator } from './simulator.tsx'
import { Suggestions } from './suggestions.tsx'

const route = getRouteApi('/_app/access-review')

/** Which grants are not needed, and what would a change do? */
export function AccessReviewScreen() {
	const { tab = 'suggestions', days, state } = route.useSearch()
	const navigate = route.useNavigate()
	const set = (search: ReviewSearch) => void navigate({ search, replace: true })
	return (
		<Page
			title="Access review"
			description="Find unused access, and preview what a change would have done to recent calls."
		>
			<Tabs
				label="Kind of review"
				value={tab}
				onChange={(next) => set(next === 'suggestions' ? {} : { tab: next })}
				tabs={[
					{
						value: 'suggestions',
						label: 'Suggestions',
						content: (
							<Suggestions
								days={days ?? 30}
								state={state ?? 'open'}
								onChange={(next) => set({ ...(days && { days }), ...(state && { state }), ...next })}
							/>
						),
					},
					{
						value: 'simulator',
						label: 'Simulator',
						content: <Simulator days={days ?? 7} onDays={(next) => set({ tab: 'simulator', days: next })} />,
					},
				]}
			/>
		</Page>
	)
}
