import type { operations } from '@signalbox/contract/api'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'

export type Retention = Schemas['Retention']
export type RedactionRule = Schemas['RedactionRule']
export type RuleInput = operations['redaction-rules.create']['requestBody']['content']['application/json']

export const retentionQuery = queryOptions({
	queryKey: ['retention'],
	queryFn: () => unwrap(api.GET('/v1/retention')),
})

export const rulesQuery = queryOptions({
	queryKey: ['redaction-rules'],
	queryFn: () => unwrap(api.GET('/v1/redaction-rules', { params: { query: { limit: 100, order: 'asc' } } })),
})

export function refreshRules(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: rulesQuery.queryKey })
}

export const callRecordingQuery = queryOptions({
	queryKey: ['call-recording'],
	queryFn: () => unwrap(api.GET('/v1/call-recording')),
})
