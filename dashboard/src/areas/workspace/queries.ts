import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import type { Role } from '../identity/session.ts'

export type Member = Schemas['Member']
export type Invitation = Schemas['Invitation']

interface MemberFilter {
	q?: string | undefined
	role?: Role | undefined
	page: number
}

export const membersKey = ['members'] as const
export const invitationsKey = ['invitations'] as const

export function membersQuery(workspaceId: string, { q, role, page }: MemberFilter) {
	const query = { page, limit: 50, sort: 'email' as const, order: 'asc' as const }
	return queryOptions({
		queryKey: [...membersKey, workspaceId, q, role, page],
		queryFn: () =>
			unwrap(
				api.GET('/v1/workspaces/{id}/members', {
					params: { path: { id: workspaceId }, query: { ...query, ...(q && { q }), ...(role && { role }) } },
				}),
			),
		placeholderData: keepPreviousData,
	})
}

export function invitationsQuery(workspaceId: string, page: number) {
	return queryOptions({
		queryKey: [...invitationsKey, workspaceId, page],
		queryFn: () =>
			unwrap(
				api.GET('/v1/workspaces/{id}/invitations', {
					params: { path: { id: workspaceId }, query: { page, limit: 50 } },
				}),
			),
		placeholderData: keepPreviousData,
	})
}
