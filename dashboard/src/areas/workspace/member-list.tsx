import { roles } from '@signalbox/contract/access'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { SearchInput } from '../../ui/field.tsx'
import { FilterRow, FilterSelect } from '../../ui/filter-row.tsx'
import { Panel } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { type Role, useMe } from '../identity/session.ts'
import { MemberTable } from './member-table.tsx'
import { membersQuery } from './queries.ts'
import type { WorkspaceSearch } from './workspace-search.ts'

const route = getRouteApi('/_app/workspace')

export function MemberList() {
	const { workspace } = useMe()
	const { q, role, page = 1 } = route.useSearch()
	const navigate = route.useNavigate()
	const { data, error, refetch } = useQuery(membersQuery(workspace.id, { q, role, page }))
	const isFiltered = q !== undefined || role !== undefined
	/** Changing a filter goes back to the first page. */
	const filter = (change: WorkspaceSearch) => {
		const next = { ...(q && { q }), ...(role && { role }), ...change }
		const search = Object.fromEntries(Object.entries(next).filter(([, value]) => value)) as WorkspaceSearch
		void navigate({ search, replace: true })
	}
	return (
		<>
			{(isFiltered || (data?.pagination.total ?? 0) > 8) && (
				<FilterRow className="mb-3">
					<SearchInput
						label="Search by name or email"
						value={q ?? ''}
						onChange={(event) => filter({ q: event.target.value })}
					/>
					<FilterSelect
						label="Role"
						all="All roles"
						options={roles.map((known) => [known, known])}
						value={role}
						onChange={(chosen) => filter({ role: chosen as Role })}
					/>
				</FilterRow>
			)}
			<Panel flush>
				{error && !data ? (
					<ErrorState error={error} retry={() => void refetch()} />
				) : !data ? (
					<SkeletonRows />
				) : data.members.length === 0 ? (
					<Empty icon="person" title="No such member">
						Try a shorter part of the name or e-mail address, or all roles.
					</Empty>
				) : (
					<MemberTable members={data.members} />
				)}
			</Panel>
			{data?.members.some(({ verified }) => !verified) && (
				<p className="mt-2 text-xs text-ink-2">
					Not confirmed: the person has not yet opened a link that was sent to the address, so nothing proves
					that the mailbox is theirs. They can work as usual, and have a link sent to them under Your account.
				</p>
			)}
			{data && (
				<Pager
					pagination={data.pagination}
					onChange={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
				/>
			)}
		</>
	)
}
