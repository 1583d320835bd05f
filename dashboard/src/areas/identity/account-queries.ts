import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'

export const sessionsQuery = queryOptions({
	queryKey: ['sessions'],
	queryFn: () => unwrap(api.GET('/auth/sessions')),
})

export const identitiesQuery = queryOptions({
	queryKey: ['identities'],
	queryFn: () => unwrap(api.GET('/auth/identities')),
})
