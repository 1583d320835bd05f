import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'

export const Route = createRootRouteWithContext<{
	queryClient: QueryClient
	/** The workspace in the address, if the person is not a member of it. */
	foreignWorkspace: string | null
}>()({
	component: Outlet,
})
