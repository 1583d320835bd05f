import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { freshMs, type TimeRange } from '../../lib/time-range.ts'

export type SelectedTool = Schemas['SelectedTool']
export type DefinitionChange = Schemas['DefinitionChange']
export type InvalidArgument = Schemas['InvalidArgument']
export type RetryLoop = Schemas['RetryLoop']
export type ToolOverlap = Schemas['ToolOverlap']
export type UnregisteredServer = Schemas['UnregisteredServer']

/** The calls and tools to which an insight applies. */
export interface Asked {
	range: TimeRange
	agent?: string
	server?: string
}

const paths = {
	selection: '/v1/spotlight/mcp/tool-selection',
	changes: '/v1/spotlight/mcp/definition-changes',
	arguments: '/v1/spotlight/mcp/invalid-arguments',
	loops: '/v1/spotlight/mcp/retry-loops',
	overlaps: '/v1/spotlight/mcp/overlaps',
} as const

const paramsOf = ({ range, agent, server }: Asked) => ({
	params: { query: { ...range, ...(agent && { agent }), ...(server && { server }), limit: 200 } },
})

function ask<T>(insight: string, asked: Asked, queryFn: () => Promise<T>) {
	return queryOptions({
		queryKey: ['tool-insights', insight, asked],
		queryFn,
		placeholderData: keepPreviousData,
		refetchInterval: freshMs(asked.range),
	})
}

export const insightQueries = {
	selection: (asked: Asked) =>
		ask('selection', asked, () => unwrap(api.GET(paths.selection, paramsOf(asked)))),
	changes: (asked: Asked) => ask('changes', asked, () => unwrap(api.GET(paths.changes, paramsOf(asked)))),
	arguments: (asked: Asked) =>
		ask('arguments', asked, () => unwrap(api.GET(paths.arguments, paramsOf(asked)))),
	loops: (asked: Asked) => ask('loops', asked, () => unwrap(api.GET(paths.loops, paramsOf(asked)))),
	overlaps: (asked: Asked) => ask('overlaps', asked, () => unwrap(api.GET(paths.overlaps, paramsOf(asked)))),
	unregistered: ({ range, agent }: Asked) =>
		ask('unregistered', { range, ...(agent && { agent }) }, () =>
			unwrap(
				api.GET('/v1/spotlight/mcp/unregistered-servers', {
					params: { query: { ...range, ...(agent && { agent }), limit: 200 } },
				}),
			),
		),
}
