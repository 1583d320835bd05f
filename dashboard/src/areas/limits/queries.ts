import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, take } from '../../api.ts'

export type Limit = Schemas['Limit']

export const limitsQuery = queryOptions({
	queryKey: ['limits'],
	queryFn: () => take(api.GET('/v1/limits')),
})
