import type { operations } from '@signalbox/contract/api'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import type { TimeRange } from '../../lib/time-range.ts'

export type Budget = Schemas['Budget']
export type BudgetState = Schemas['BudgetState']
export type BudgetInput = operations['budgets.create']['requestBody']['content']['application/json']
export type BudgetChange = operations['budgets.update']['requestBody']['content']['application/json']
export type Price = Schemas['Price']
export type ToolCost = Schemas['ToolCost']
export type PriceInput = operations['prices.create']['requestBody']['content']['application/json']

export function budgetsQuery(page: number) {
	return queryOptions({
		queryKey: ['budgets', 'list', page],
		queryFn: () => unwrap(api.GET('/v1/budgets', { params: { query: { limit: 50, page } } })),
		placeholderData: keepPreviousData,
		refetchInterval: 5_000,
	})
}

export function spendingQuery(id: string) {
	return queryOptions({
		queryKey: ['budgets', id, 'spending'],
		queryFn: () =>
			unwrap(api.GET('/v1/budgets/{id}/spending', { params: { path: { id }, query: { limit: 50 } } })),
		refetchInterval: 5_000,
	})
}

export function pricesQuery(page: number) {
	return queryOptions({
		queryKey: ['prices', 'list', page],
		queryFn: () => unwrap(api.GET('/v1/prices', { params: { query: { limit: 50, page } } })),
		placeholderData: keepPreviousData,
	})
}

export function unpricedQuery(range: TimeRange) {
	return queryOptions({
		queryKey: ['prices', 'unpriced', range],
		queryFn: () => unwrap(api.GET('/v1/prices/unpriced', { params: { query: range } })),
		refetchInterval: 10_000,
	})
}

export function cacheMissesQuery(range: TimeRange) {
	return queryOptions({
		queryKey: ['cache-misses', range],
		queryFn: () =>
			unwrap(api.GET('/v1/spotlight/cache-misses', { params: { query: { ...range, limit: 10 } } })),
		staleTime: 60_000,
	})
}

export function toolCostsQuery(range: TimeRange, by: 'tool' | 'server' | 'agent') {
	return queryOptions({
		queryKey: ['tool-costs', range, by],
		queryFn: () =>
			unwrap(api.GET('/v1/spotlight/tool-costs', { params: { query: { ...range, by, limit: 10 } } })),
		placeholderData: keepPreviousData,
		staleTime: 60_000,
	})
}

export function refreshBudgets(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: ['budgets'] })
}

export function refreshPrices(queries: QueryClient): Promise<void> {
	return queries.invalidateQueries({ queryKey: ['prices'] })
}
