import type { operations } from '@signalbox/contract/api'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

export type Toolset = Schemas['Toolset']
type ToolsetFilter = NonNullable<operations['toolsets.list']['parameters']['query']>

/** The parts of a toolset that affect access. */
export interface ToolsetContent {
	tools: Toolset['tools']
	groups: string[]
}

export function toolsetsQuery(filter: ToolsetFilter) {
	return queryOptions({
		queryKey: ['toolsets', 'list', filter],
		queryFn: () =>
			unwrap(
				api.GET('/v1/toolsets', {
					params: { query: { limit: 100, sort: 'name', order: 'asc', ...filter } },
				}),
			),
		placeholderData: keepPreviousData,
	})
}

export function toolsetQuery(id: string) {
	return queryOptions({
		queryKey: ['toolsets', id],
		queryFn: () => unwrap(api.GET('/v1/toolsets/{id}', { params: { path: { id } } })),
	})
}

/** Who would gain and lose which tools, without changing anything. */
export function previewQuery(id: string, body: ToolsetContent) {
	return queryOptions({
		queryKey: ['toolsets', id, 'preview', body],
		queryFn: () => unwrap(api.POST('/v1/toolsets/{id}/preview', { params: { path: { id } }, body })),
		placeholderData: keepPreviousData,
	})
}

/** Call it after a change of a toolset, because the grants of agents change with it. */
export async function refreshToolsets(queries: QueryClient): Promise<void> {
	await Promise.all(
		['toolsets', 'agents', 'servers'].map((area) => queries.invalidateQueries({ queryKey: [area] })),
	)
}
