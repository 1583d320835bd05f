import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../../api.ts'
import { toast } from '../../ui/toast.tsx'
import type { ProposedChange } from './proposal.ts'
import type { SuggestionState } from './review-search.ts'

export type Simulation = Schemas['Simulation']

/** Evaluates the recorded calls of the last days under a proposal, without changing anything. */
export function useSimulation() {
	return useMutation({
		mutationFn: (body: { changes: ProposedChange[]; days: number }) =>
			unwrap(api.POST('/v1/access/simulate', { body })),
	})
}

export type Suggestion = Schemas['AccessSuggestion']

export function suggestionsQuery(filter: { days: number; state: SuggestionState; page: number }) {
	return queryOptions({
		queryKey: ['suggestions', filter],
		queryFn: () => unwrap(api.GET('/v1/access/suggestions', { params: { query: { ...filter, limit: 20 } } })),
		placeholderData: keepPreviousData,
	})
}

/** Applies a suggestion, or reverts it. */
export function useSuggestion(id: string) {
	const queries = useQueryClient()
	const path = { params: { path: { id } } }
	const onSuccess = (text: string) => async () => {
		toast(text)
		await Promise.all(
			['suggestions', 'agents', 'servers'].map((area) => queries.invalidateQueries({ queryKey: [area] })),
		)
	}
	const apply = useMutation({
		mutationFn: () => unwrap(api.POST('/v1/access/suggestions/{id}/apply', path)),
		onSuccess: onSuccess('Applied: you find it under Applied, to put it back'),
	})
	const revert = useMutation({
		mutationFn: () => unwrap(api.POST('/v1/access/suggestions/{id}/revert', path)),
		onSuccess: onSuccess('Reverted'),
	})
	return { apply, revert }
}
