import { type Role, type RoleScope, roleHas, roleIncludes, roles } from '@signalbox/contract/access'
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

/** What a control needs: the right that the server asks for at its operation, or the rights of all its operations. */
export type Needed = RoleScope | readonly RoleScope[]

function hasAll(role: Role, needed: Needed): boolean {
	return [needed].flat().every((scope) => roleHas(role, scope))
}

/** Whether the signed-in person has these rights in the workspace; the server checks again. */
export function useCan(needed: Needed): boolean {
	return hasAll(useMe().workspace.role, needed)
}

/** The roles that suffice, as words: without those that have all rights of another one. */
export function rolesFor(needed: Needed): string {
	const holders = roles.filter((role) => hasAll(role, needed))
	const isMore = (role: Role, other: Role) => roleIncludes(role, other) && !roleIncludes(other, role)
	return holders.filter((role) => !holders.some((other) => isMore(role, other))).join(' or ')
}
