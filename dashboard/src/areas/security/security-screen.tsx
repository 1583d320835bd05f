import { getRouteApi } from '@tanstack/react-router'
import type { TimeRange } from '../../lib/time-range.ts'
import { Page } from '../../ui/page.tsx'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { PendingDefinitions } from '../tool-definitions/pending-definitions.tsx'
import { GrantsInsight } from '../tool-insights/grants.tsx'
import { UnregisteredInsight } from '../tool-insights/unregistered.tsx'
import { RefusedCalls } from './refused-calls.tsx'

const route = getRouteApi('/_app/security')

/** What are the risks: changed tools, calls that bypass the gateway, unneeded access and refused calls? */
export function SecurityScreen() {
	const { start = '-30d', end } = route.useSearch()
	const navigate = route.useNavigate()
	const range: TimeRange = { start, ...(end && { end }) }
	return (
		<Page
			title="Security"
			description="Definitions waiting for review, servers that bypass the gateway, unused access, and refused calls."
			actions={<RangePicker range={range} onChange={(next) => void navigate({ search: next })} />}
		>
			<PendingDefinitions />
			<div className="grid grid-cols-1 gap-4">
				<UnregisteredInsight asked={{ range }} />
				<GrantsInsight asked={{ range }} />
				<RefusedCalls range={range} />
			</div>
		</Page>
	)
}
