import { createFileRoute } from '@tanstack/react-router'
import { WorkspaceScreen } from '../../areas/workspace/workspace-screen.tsx'
import { parseWorkspaceSearch } from '../../areas/workspace/workspace-search.ts'

export const Route = createFileRoute('/_app/workspace')({
	validateSearch: parseWorkspaceSearch,
	component: WorkspaceScreen,
})
