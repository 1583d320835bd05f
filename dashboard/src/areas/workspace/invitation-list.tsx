import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Panel } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { useCan, useMe } from '../identity/session.ts'
import { InvitationTable } from './invitation-table.tsx'
import { invitationsQuery } from './queries.ts'

const route = getRouteApi('/_app/workspace')

export function InvitationList() {
	return useCan('audit:read') ? <OpenInvitations /> : null
}

function OpenInvitations() {
	const { workspace } = useMe()
	const { page = 1 } = route.useSearch()
	const navigate = route.useNavigate()
	const { data, error, refetch } = useQuery(invitationsQuery(workspace.id, page))
	return (
		<>
			<Panel flush>
				{error && !data ? (
					<ErrorState error={error} retry={() => void refetch()} />
				) : !data ? (
					<SkeletonRows />
				) : data.invitations.length === 0 ? (
					<Empty icon="person" title="No pending invitations">
						An invitation is a link, good once, that makes a person a member with the role that you choose.
						New people get their account by it.
					</Empty>
				) : (
					<InvitationTable invitations={data.invitations} />
				)}
			</Panel>
			{data && (
				<Pager
					pagination={data.pagination}
					onChange={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
				/>
			)}
		</>
	)
}
