import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'
import { NotFound } from '../app/not-found.tsx'

export const Route = createRootRouteWithContext<{
	queryClient: QueryClient
	/** The workspace that the address names, where the person is no member of it. */
	foreignWorkspace: string | null
}>()({
	component: Outlet,
	notFoundComponent: NotFound,
})
