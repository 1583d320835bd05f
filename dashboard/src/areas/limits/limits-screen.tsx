import { useQuery } from '@tanstack/react-query'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { LimitsForm } from './limits-form.tsx'
import { limitsQuery } from './queries.ts'

/** How many requests may one key, or one address, make? */
export function LimitsScreen() {
	const { data, error, refetch } = useQuery(limitsQuery)
	return (
		<Page
			title="Limits"
			description="Requests that one credential may make. A quota can be used in a burst and refills evenly over its window."
		>
			<RoleHint needs="workspace:write" what="change the limits" />
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows />
			) : (
				<LimitsForm limits={data.limits} />
			)}
		</Page>
	)
}
