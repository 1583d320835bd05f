import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { Switch } from '../../ui/controls.tsx'
import { SearchInput } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast, toastFailure } from '../../ui/toast.tsx'
import { Loaded } from './loaded.tsx'
import { type InstanceWorkspace, settingsQuery, workspacesQuery } from './queries.ts'

const route = getRouteApi('/_app/instance')

/** Every workspace of the instance, and whether it may run programs. */
export function WorkspaceRights() {
	const { q, page = 1 } = route.useSearch()
	const navigate = route.useNavigate()
	const query = useQuery(workspacesQuery(q, page))
	const { data: settings } = useQuery(settingsQuery)
	const tab = 'workspaces' as const
	return (
		<>
			{settings?.stdio_programs.value === false && (
				<Notice tone="idle" className="mb-3">
					Hosted stdio servers are off for the whole instance, so these switches have no effect. Turn them on
					under Settings.
				</Notice>
			)}
			{(q !== undefined || (query.data?.pagination.total ?? 0) > 8) && (
				<div className="mb-3">
					<SearchInput
						label="Find by name"
						value={q ?? ''}
						onChange={({ target: { value } }) =>
							void navigate({ search: value ? { tab, q: value } : { tab }, replace: true })
						}
					/>
				</div>
			)}
			<Panel flush>
				<Loaded query={query}>
					{({ workspaces }) =>
						workspaces.length === 0 ? (
							<Empty icon="search" title="Workspace not found">
								Try a shorter part of the name.
							</Empty>
						) : (
							<RightTable workspaces={workspaces} />
						)
					}
				</Loaded>
			</Panel>
			{query.data && (
				<Pager
					pagination={query.data.pagination}
					onChange={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
				/>
			)}
		</>
	)
}

function RightTable({ workspaces }: { workspaces: readonly InstanceWorkspace[] }) {
	return (
		<Table label="Workspaces of the instance">
			<thead>
				<tr>
					<Th>Name</Th>
					<Th right>Members</Th>
					<Th right>Created</Th>
					<Th right>May run programs (stdio)</Th>
				</tr>
			</thead>
			<tbody>
				{workspaces.map((workspace) => (
					<RightRow key={workspace.id} workspace={workspace} />
				))}
			</tbody>
		</Table>
	)
}

function RightRow({ workspace }: { workspace: InstanceWorkspace }) {
	const queries = useQueryClient()
	const change = useMutation({
		mutationFn: (stdio: boolean) => {
			const params = { path: { id: workspace.id } }
			return unwrap(api.PATCH('/v1/workspaces/{id}/rights', { params, body: { stdio } }))
		},
		onSuccess: ({ name, rights }) => {
			toast(rights.stdio ? `${name} may run programs` : `${name} may no longer run programs`)
			return queries.invalidateQueries({ queryKey: ['instance', 'workspaces'] })
		},
		onError: () => toastFailure('The right could not be changed'),
	})
	return (
		<Row>
			<Td className="max-w-72 truncate font-medium">{workspace.name}</Td>
			<Td right>{workspace.member_count}</Td>
			<Td right className="text-ink-2">
				<Ago at={workspace.created_at} />
			</Td>
			<Td right>
				<span className="inline-flex align-middle">
					<Switch
						label={`${workspace.name} may run programs`}
						disabled={change.isPending}
						checked={change.isPending ? change.variables : workspace.rights.stdio}
						onChange={(on) => change.mutate(on)}
					/>
				</span>
			</Td>
		</Row>
	)
}
