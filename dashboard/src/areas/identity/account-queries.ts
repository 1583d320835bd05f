import { queryOptions } from '@tanstack/react-query'
import { api, take } from '../../api.ts'

export const sessionsQuery = queryOptions({
	queryKey: ['sessions'],
	queryFn: () => take(api.GET('/auth/sessions')),
})

export const identitiesQuery = queryOptions({
	queryKey: ['identities'],
	queryFn: () => take(api.GET('/auth/identities')),
})
