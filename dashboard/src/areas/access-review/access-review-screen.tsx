import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { Simulator } from './simulator.tsx'

const route = getRouteApi('/_app/access-review')

/** What would a change of access do? */
export function AccessReviewScreen() {
	const { days = 7 } = route.useSearch()
	const navigate = route.useNavigate()
	return (
		<Page
			title="Access review"
			description="What a change of access would have done to the calls of the last days, before you make it."
		>
			<Simulator
				days={days}
				onDays={(next) => void navigate({ search: next === 7 ? {} : { days: next }, replace: true })}
			/>
		</Page>
	)
}
