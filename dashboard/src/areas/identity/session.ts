import { type Role, roleIncludes } from '@signalbox/contract/access'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { hasPageWorkspace, setPageWorkspace } from '../../lib/session-fetch.ts'
import { showTimesIn } from '../../lib/time-zone.ts'

export type { Role }

export const meQuery = queryOptions({
	queryKey: ['me'],
	queryFn: async () => {
		const me = await unwrap(api.GET('/auth/me'))
		showTimesIn(me.user.time_zone)
		// Pages outside a workspace, such as the consent to a client, act in the workspace of this answer.
		if (!hasPageWorkspace()) setPageWorkspace(me.workspace.id)
		return me
	},
	staleTime: 60_000,
})

export const methodsQuery = queryOptions({
	queryKey: ['sign-in-methods'],
	queryFn: () => unwrap(api.GET('/auth/methods')),
})

export function useMe(): Schemas['Me'] {
	return useSuspenseQuery(meQuery).data
}

/** Whether the signed-in person has the rights of this role in the workspace; the server checks again. */
export function useCan(role: Role): boolean {
	return roleIncludes(useMe().workspace.role, role)
}
