import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

export type Limit = Schemas['Limit']

export const limitsQuery = queryOptions({
	queryKey: ['limits'],
	queryFn: () => unwrap(api.GET('/v1/limits')),
})
