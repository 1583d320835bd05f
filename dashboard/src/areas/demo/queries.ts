import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

export type Demo = Schemas['Demo']

export const demoKey = ['demo']

/** Polled often while the demo is being created. */
export const demoQuery = queryOptions({
	queryKey: demoKey,
	queryFn: () => unwrap(api.GET('/v1/demo')),
	refetchInterval: ({ state }) => (state.data?.state === 'making' ? 1_000 : false),
})
