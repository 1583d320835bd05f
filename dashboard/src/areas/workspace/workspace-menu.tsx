import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Icon } from '../../ui/icons.tsx'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../../ui/menu.tsx'
import { methodsQuery, useMe } from '../identity/session.ts'
import { enterWorkspace } from './enter-workspace.ts'

const CreateWorkspaceDialog = lazy(() =>
	import('./create-workspace-dialog.tsx').then((module) => ({ default: module.CreateWorkspaceDialog })),
)

/** The current workspace, and links to the others. */
export function WorkspaceMenu() {
	const { workspace, workspaces } = useMe()
	const navigate = useNavigate()
	const mayCreate = useMayCreate()
	const [isCreating, setIsCreating] = useState(false)
	const enter = (id: string) => {
		if (id !== workspace.id) enterWorkspace(id)
	}
	const trigger = (
		<button
			type="button"
			title={`Workspace ${workspace.name}`}
			className="flex h-7 min-w-0 items-center gap-1 rounded border border-line px-1.5 text-xs text-ink-2 hover:bg-hover hover:text-ink data-[state=open]:bg-hover"
		>
			<span className="sr-only">Workspace</span>
			<span className="truncate">{workspace.name}</span>
			<Icon name="down" className="size-3 text-ink-3" />
		</button>
	)
	return (
		<>
			<Menu trigger={trigger} align="start">
				<MenuLabel>Workspaces</MenuLabel>
				<div className="max-h-72 max-w-72 overflow-y-auto">
					{workspaces.map(({ id, name, role }) => (
						<MenuItem key={id} checked={id === workspace.id} onSelect={() => enter(id)}>
							<span className="flex items-center gap-2">
								<span className="min-w-0 truncate">{name}</span>
								<span className="text-xs text-ink-3">{role}</span>
							</span>
						</MenuItem>
					))}
				</div>
				<MenuLine />
				<MenuItem icon="person" onSelect={() => void navigate({ to: '/workspace' })}>
					Members and settings
				</MenuItem>
				<MenuItem icon="plus" disabled={!mayCreate} onSelect={() => setIsCreating(true)}>
					Create workspace
				</MenuItem>
				{!mayCreate && <MenuLabel>Only operators create workspaces here.</MenuLabel>}
			</Menu>
			{isCreating && (
				<Suspense>
					<CreateWorkspaceDialog open onClose={() => setIsCreating(false)} />
				</Suspense>
			)}
		</>
	)
}

function useMayCreate(): boolean {
	const { operator } = useMe()
	const { data } = useQuery({ ...methodsQuery, enabled: !operator })
	return operator || data?.signup === 'open'
}
