import { queryOptions } from '@tanstack/react-query'

/** The documentation, loaded once per page load. */
export const docsQuery = queryOptions({
	queryKey: ['docs'],
	queryFn: () => import('./doc-pages.ts'),
	staleTime: Number.POSITIVE_INFINITY,
})
