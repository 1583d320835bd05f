import { byScope } from './access.ts'
import { OneOf, Strict } from './common.ts'
import { listQuery, spotlightLists } from './spotlight.ts'

/** The lists of Spotlight that can be exported as a file. */
export const exportedLists = [...spotlightLists, 'usage', 'timeseries'] as const

/** A route that answers with a file. */
export const spotlightExport = {
	id: 'spotlight.export',
	method: 'GET',
	path: '/v1/spotlight/export',
	access: byScope('spotlight:read'),
	query: Strict({
		...listQuery,
		list: OneOf(exportedLists, { description: 'Name of the list' }),
		format: OneOf(['csv', 'json'], { default: 'csv' }),
	}),
} as const
