import type { operations } from '@signalbox/contract/api'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, changeShown, type Schemas, unwrap } from '../../api.ts'

export type Hook = Schemas['Hook']
export type HookInput = operations['hooks.create']['requestBody']['content']['application/json']
export type HookChange = operations['hooks.update']['requestBody']['content']['application/json']

export const hooksQuery = queryOptions({
	queryKey: ['model-hooks'],
	queryFn: () => unwrap(api.GET('/v1/hooks', { params: { query: { limit: 100 } } })),
})

export function refreshHooks(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: hooksQuery.queryKey })
}

export function changeHook(hook: Pick<Hook, 'id'>, body: HookChange) {
	return changeShown('/v1/hooks/{id}', { id: hook.id }, hook, body)
}
