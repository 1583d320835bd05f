import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, take } from '../../api.ts'

export type Demo = Schemas['Demo']

const refreshMs = { none: 5_000, making: 1_000, ready: false, failed: false } as const
export const demoKey = ['demo']

/** Looked at often while it is made; before that, since a start may make it by itself. */
export const demoQuery = queryOptions({
	queryKey: demoKey,
	queryFn: () => take(api.GET('/v1/demo')),
	refetchInterval: ({ state }) => refreshMs[state.data?.state ?? 'none'],
})
