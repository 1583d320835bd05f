import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { AskPanel } from './ask-panel.tsx'
import { requestsQuery } from './queries.ts'
import { RequestList } from './request-list.tsx'
import type { RequestStatus } from './request-search.ts'

const route = getRouteApi('/_app/access-requests')

const filters = [
	{ value: 'all', label: 'All' },
	{ value: 'pending', label: 'Waiting' },
	{ value: 'granted', label: 'Granted' },
	{ value: 'declined', label: 'Declined' },
] as const satisfies readonly { value: RequestStatus | 'all'; label: string }[]

/** Which access was requested, for which agents, and by whom? Links in refusals open this screen. */
export function AccessRequestsScreen() {
	const { agent, tool, ask } = route.useSearch()
	const navigate = route.useNavigate()
	const isAsking = ask === true || agent !== undefined
	const close = () => void navigate({ search: {} })
	return (
		<Page
			title="Access requests"
			description="Anyone in the workspace can request a tool or a server for an agent. An admin decides."
			actions={
				!isAsking && (
					<Button variant="primary" icon="plus" onClick={() => void navigate({ search: { ask: true } })}>
						Request access
					</Button>
				)
			}
		>
			<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
				{isAsking && <AskPanel agent={agent} tool={tool} onDone={close} onCancel={close} />}
				<Requests />
			</div>
		</Page>
	)
}

function Requests() {
	const { status, page = 1, ...form } = route.useSearch()
	const navigate = route.useNavigate()
	const { data, error, refetch } = useQuery(
		requestsQuery({ limit: 20, page, order: 'desc', ...(status && { status }) }),
	)
	return (
		<section aria-label="Requests" className="grid grid-cols-[minmax(0,1fr)] gap-3">
			<RoleHint needs="access:write" what="grant or decline" />
			<Segmented<RequestStatus | 'all'>
				label="State"
				value={status ?? 'all'}
				options={filters}
				onChange={(next) =>
					void navigate({ search: next === 'all' ? form : { ...form, status: next }, replace: true })
				}
			/>
			<Panel flush>
				{error && !data ? (
					<ErrorState error={error} retry={() => void refetch()} />
				) : !data ? (
					<SkeletonRows />
				) : data.access_requests.length === 0 ? (
					<Empty icon="ask" title={status ? 'No request is in this state' : 'No requests yet'}>
						When a call is refused for want of a grant, the agent is told the address of this page, with the
						form filled in.
					</Empty>
				) : (
					<RequestList requests={data.access_requests} />
				)}
			</Panel>
			{data && (
				<Pager
					pagination={data.pagination}
					onChange={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
				/>
			)}
		</section>
	)
}
