import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, type Schemas, take } from '../../api.ts'

export type Role = Schemas['WorkspaceSummary']['role']

const rank: readonly Role[] = ['viewer', 'member', 'admin', 'owner']

export const meQuery = queryOptions({
	queryKey: ['me'],
	queryFn: () => take(api.GET('/auth/me')),
	staleTime: 60_000,
})

export const methodsQuery = queryOptions({
	queryKey: ['sign-in-methods'],
	queryFn: () => take(api.GET('/auth/methods')),
})

export function useMe(): Schemas['Me'] {
	return useSuspenseQuery(meQuery).data
}

/** Whether the signed-in person has at least this role in the workspace; the server judges again. */
export function useCan(role: Role): boolean {
	return rank.indexOf(useMe().workspace.role) >= rank.indexOf(role)
}
